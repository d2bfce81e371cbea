"""Llama in plain PyTorch for the verifier's teachers and generator: the layers, and sampling with a cache."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class Norm(nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, x):
        return F.rms_norm(x, (x.shape[-1],), self.weight.to(x.dtype), self.eps)


def rotate(x, cos, sin):
    one, two = x.chunk(2, -1)
    return torch.cat([one * cos - two * sin, two * cos + one * sin], -1)


class Layer(nn.Module):
    """Attention itself is the caller's, between `qkv` and `rest`."""

    def __init__(self, config):
        super().__init__()
        self.h, self.kv, self.d = config["num_attention_heads"], config["num_key_value_heads"], config["head_dim"]
        width, up, linear = config["hidden_size"], config["intermediate_size"], lambda a, b: nn.Linear(a, b, bias=False)
        self.self_attn = nn.ModuleDict({"q_proj": linear(width, self.h * self.d), "k_proj": linear(width, self.kv * self.d), "v_proj": linear(width, self.kv * self.d), "o_proj": linear(self.h * self.d, width)})
        self.mlp = nn.ModuleDict({"gate_proj": linear(width, up), "up_proj": linear(width, up), "down_proj": linear(up, width)})
        self.input_layernorm, self.post_attention_layernorm = Norm(width, config["rms_norm_eps"]), Norm(width, config["rms_norm_eps"])

    def qkv(self, x, cos, sin):
        y = self.input_layernorm(x)
        b, t, _ = y.shape
        q = self.self_attn["q_proj"](y).view(b, t, self.h, self.d).transpose(1, 2)
        k = self.self_attn["k_proj"](y).view(b, t, self.kv, self.d).transpose(1, 2)
        v = self.self_attn["v_proj"](y).view(b, t, self.kv, self.d).transpose(1, 2)
        return rotate(q, cos, sin), rotate(k, cos, sin), v

    def rest(self, x, mixed):
        b, _, t, _ = mixed.shape
        x = x + self.self_attn["o_proj"](mixed.transpose(1, 2).reshape(b, t, -1))
        y = self.post_attention_layernorm(x)
        return x + self.mlp["down_proj"](F.silu(self.mlp["gate_proj"](y)) * self.mlp["up_proj"](y))


class Llama(nn.Module):
    def __init__(self, config, state=None):
        super().__init__()
        self.config = config
        self.embed_tokens = nn.Embedding(config["vocab_size"], config["hidden_size"])
        self.layers = nn.ModuleList(Layer(config) for _ in range(config["num_hidden_layers"]))
        self.norm = Norm(config["hidden_size"], config["rms_norm_eps"])
        if state is not None:
            self.load_state_dict({name.removeprefix("model."): value for name, value in state.items() if name.startswith("model.")})
        else:
            for parameter in self.parameters():
                if parameter.dim() == 2:
                    nn.init.normal_(parameter, std=0.02)

    def angles(self, positions, dtype):
        d = self.config["head_dim"]
        rate = self.config["rope_theta"] ** (-torch.arange(0, d, 2, device=positions.device).float() / d)
        at = positions.float()[..., None] * rate
        return at.cos().to(dtype), at.sin().to(dtype)

    def logits(self, x):
        return F.linear(x, self.embed_tokens.weight.to(x.dtype))


@torch.no_grad()
def sample(model, prompts, lengths, forced, most, stop, temperature, least=0.03):
    """Several continuations for each prompt. The prompt's keys are kept once for all of them; the new tokens have a cache of their own.

    `prompts` [B, P] is padded at the right, `lengths` is [B]. `forced` [B * per, F] has the first tokens of each continuation, -1 where free.
    Returns ids [B * per, most]; from `stop` on all is `stop`. A token needs at least `least` of the best one's probability."""
    device = prompts.device
    (B, P), N = prompts.shape, len(forced)
    per = N // B
    dtype = model.embed_tokens.weight.dtype
    x = model.embed_tokens(prompts)
    cos, sin = model.angles(torch.arange(P, device=device), x.dtype)
    keys, values = [], []
    kv, d, share = model.layers[0].kv, model.layers[0].d, model.layers[0].h // model.layers[0].kv
    for layer in model.layers:
        q, k, v = layer.qkv(x, cos, sin)
        keys.append(k.transpose(2, 3).contiguous())
        values.append(v.contiguous())
        x = layer.rest(x, F.scaled_dot_product_attention(q, k.repeat_interleave(share, 1), v.repeat_interleave(share, 1), is_causal=True))
    own_keys = [torch.zeros(N, kv, d, most, device=device, dtype=dtype) for _ in model.layers]
    own_values = [torch.zeros(N, kv, most, d, device=device, dtype=dtype) for _ in model.layers]
    padding = torch.where(torch.arange(P, device=device)[None] < lengths[:, None], 0.0, -1e9).to(dtype)[:, None, None]
    out = torch.full((N, most), stop, device=device, dtype=torch.long)
    done = torch.zeros(N, dtype=torch.bool, device=device)
    start, scale, given = lengths.repeat_interleave(per), d**-0.5, forced.shape[1]
    token = forced[:, 0].clamp_min(0)
    group = lambda t: t.view(B, per, kv, share, -1).transpose(1, 2).reshape(B, kv, per * share, -1)
    ungroup = lambda t: t.view(B, kv, per, share, -1).transpose(1, 2).reshape(N, kv, share, -1)
    for at in range(most):
        if at:
            logits = model.logits(model.norm(x)[:, 0])
            noise = logits.new_empty(logits.shape, dtype=torch.float32).exponential_().log_().neg_()
            cut = logits.amax(-1, keepdim=True) + temperature * math.log(least)
            token = (logits.float() / temperature + noise).masked_fill_(logits < cut, -1e9).argmax(-1)
            if at < given:
                token = torch.where(forced[:, at] >= 0, forced[:, at], token)
            token = torch.where(done, torch.full_like(token, stop), token)
        out[:, at] = token
        done |= token == stop
        if at + 1 == most or (at % 4 == 3 and bool(done.all())):
            break
        x = model.embed_tokens(token)[:, None]
        cos, sin = model.angles((start + at)[:, None, None], x.dtype)
        for number, layer in enumerate(model.layers):
            q, k, v = layer.qkv(x, cos, sin)
            own_keys[number][..., at] = k[:, :, 0]
            own_values[number][:, :, at] = v[:, :, 0]
            mine = q.view(N, kv, share, d)
            old = torch.matmul(group(mine), keys[number]) * scale + padding
            new = torch.matmul(mine, own_keys[number][..., : at + 1]) * scale
            weights = torch.softmax(torch.cat([ungroup(old), new], -1).float(), -1).to(dtype)
            mixed = ungroup(torch.matmul(group(weights[..., :P].contiguous()), values[number])) + torch.matmul(weights[..., P:], own_values[number][:, :, : at + 1])
            x = layer.rest(x, mixed.reshape(N, kv * share, 1, d))
    return out
