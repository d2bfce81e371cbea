import React from "react";

type Props = { name: string };

/** Greets by name. */
export const Greeting: React.FC<Props> = ({ name }) => {
  const shout = (text: string) => text.toUpperCase();
  return <p className="greeting">{shout(name)}</p>;
};

export default function Page() {
  return (
    <main>
      <Greeting name="bee" />
    </main>
  );
}
