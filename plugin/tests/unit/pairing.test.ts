import { expect, it } from 'vitest';
import { checkAddress, isLocal, parsePairing } from '../../src/server/pairing';
import { localAddress, tokenFile } from '../../src/server/running_server';

it.each([
    ['0a1b', { token: '0a1b' }],
    ['  0a1b\n', { token: '0a1b' }],
    ['http://127.0.0.1:8000', { address: 'http://127.0.0.1:8000' }],
    ['http://127.0.0.1:8000/open?code=xyz', { address: 'http://127.0.0.1:8000' }],
    ['http://127.0.0.1:8000/#token=0a1b', { address: 'http://127.0.0.1:8000', token: '0a1b' }],
    ['http://hive.local:8000 0a1b', { address: 'http://hive.local:8000', token: '0a1b' }],
    ['obsidian://wellread?address=http%3A%2F%2F127.0.0.1%3A8000&token=0a1b', { address: 'http://127.0.0.1:8000', token: '0a1b' }],
    ['{"success":true,"url":"http://127.0.0.1:8000","token_file":"/d/token"}', { address: 'http://127.0.0.1:8000', tokenFile: '/d/token' }],
])('%s pairs', (pasted, expected) => {
    expect(parsePairing(pasted)).toEqual(expected);
});

it.each(['', '   ', 'two words', 'ftp://x', 'obsidian://wellread?x=1', '{"url":', '{"success":true}', 'tök'])('“%s” does not pair', (pasted) => {
    expect(() => parsePairing(pasted)).toThrow();
});

it('an address is a scheme, a host and a port', () => {
    expect(checkAddress('127.0.0.1:8000')).toBe('http://127.0.0.1:8000');
    expect(checkAddress('https://hive.local/some/path?x')).toBe('https://hive.local');
    expect(() => checkAddress('javascript:alert(1)')).toThrow();
    expect([isLocal('http://127.0.0.1:1'), isLocal('http://[::1]:1'), isLocal('http://127.0.0.1.example.org')]).toEqual([true, true, false]);
});

it('a running server is looked for where its settings say', () => {
    expect(localAddress('127.0.0.1', '8000')).toBe('http://127.0.0.1:8000');
    expect(localAddress('0.0.0.0', '9000')).toBe('http://127.0.0.1:9000');
    expect(localAddress('::', '8000')).toBe('http://[::1]:8000');
    expect(tokenFile('/home/a/data/vaults/notes-01')).toBe('/home/a/data/token');
    expect(tokenFile('C:\\a\\data\\vaults\\notes-01')).toBe('C:\\a\\data\\token');
});
