// Counts tokens: node count.mjs, with a list of texts in JSON on standard input. Prints a list of numbers.
//
// The vocabulary is o200k_base, which OpenAI's models have had since GPT-4o. Those of other models differ by some percent.

import { readFileSync } from 'node:fs';

import { Tiktoken } from 'js-tiktoken/lite';
import o200k_base from 'js-tiktoken/ranks/o200k_base';

const vocabulary = new Tiktoken(o200k_base);
const texts = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify(texts.map((text) => vocabulary.encode(text, [], []).length)));
