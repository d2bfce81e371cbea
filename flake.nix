# `nix run` and `nix develop`. What it says about the program, Cargo.toml says.
{
  inputs.nixpkgs.url = "nixpkgs";

  outputs =
    { self, nixpkgs }:
    let
      workspace = (fromTOML (builtins.readFile ./Cargo.toml)).workspace.package;
      program = (fromTOML (builtins.readFile ./crates/wellread/Cargo.toml)).package;
      forEachSystem =
        make:
        nixpkgs.lib.genAttrs [
          "x86_64-linux"
          "aarch64-linux"
          "aarch64-darwin"
          "x86_64-darwin"
        ] (system: make nixpkgs.legacyPackages.${system});
    in
    {
      packages = forEachSystem (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = program.name;
          inherit (workspace) version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          cargoBuildFlags = [ "--package=${program.name}" ];
          # The tests drive browsers, shells and clients that `./check` installs.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            $out/bin/wellread man --out man
            installManPage man/*.1
            for shell in bash zsh fish; do
              $out/bin/wellread completions $shell >wellread.$shell
              installShellCompletion --cmd wellread --$shell wellread.$shell
            done
            install -Dm644 -t $out/share/doc/wellread crates/encoder/model/NOTICE
          '';
          meta = {
            inherit (program) description;
            inherit (workspace) homepage;
            license = with nixpkgs.lib.licenses; [
              mit
              asl20
            ];
            mainProgram = program.name;
          };
        };
      });

      devShells = forEachSystem (pkgs: {
        default = pkgs.mkShell {
          packages = with pkgs; [
            cargo
            clippy
            rustc
            rustfmt
            cargo-nextest
            python3
          ];
        };
      });
    };
}
