import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readContract } from '../../../../../../infra/contract/contract.ts'
import type { JsonSchema } from '../../../../../../infra/contract/openapi.ts'
import { listen } from '../../../../../../infra/local/gateway/listen.ts'
import { hasPython, python, runProgram } from '../../../../../fixtures/machine/programs.ts'
import { certificate, certificateKey, startRefusingProxy } from '../../../../../fixtures/reference/client-servers.ts'

const clientFolder = fileURLToPath(new URL('../../../../../../infra/reference/clients/python/', import.meta.url))

const runPython = (program: string, variables: Readonly<Record<string, string>> = {}): Promise<string> =>
  runProgram(python, ['-W', 'error', '-c', program], clientFolder, variables)

/** Variables that name a proxy for every host but this machine. */
const createProxyVariables = (url: string) => ({
  http_proxy: url,
  https_proxy: url,
  no_proxy: 'localhost',
  NO_PROXY: 'localhost',
})

describe.skipIf(!hasPython())('the Python client', () => {
  it('the Python client refuses a base URL with a blank at its end, a letter beyond ASCII, or an empty label in its host', async () => {
    const output = await runPython(`
from pet_adoption import PetAdoptionClient
for base_url in ("http://127.0.0.1/v1 ", "http://127.0.0.1/é", "http://a..b/v1"):
    try:
        PetAdoptionClient(base_url, "key")
    except ValueError as error:
        print(str(error)[:43])`)

    expect(output).toBe('base_url must be a URL of ASCII characters,\n'.repeat(3))
  })

  it('the Python client sends HTTP requests to the proxy of the environment, and HTTPS requests through its tunnel', async () => {
    const targets: string[] = []
    const proxy = createServer(({ url = '' }, response) => {
      targets.push(url)
      response.end('[]')
    })
    proxy.on('connect', ({ url = '' }, socket) => {
      targets.push(url)
      // The tunnel leads to a server that never says anything.
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
    })
    onTestFinished(() => {
      proxy.closeAllConnections()
      proxy.close()
    })
    const port = await listen(proxy, 0)

    const output = await runPython(
      `
from pet_adoption import PetAdoptionClient, PetAdoptionError
print(PetAdoptionClient("http://api.invalid/v1", "key").page().pets)
try:
    PetAdoptionClient("https://api.invalid/v1", "key", attempts=1, timeout=0.2).page()
except PetAdoptionError as error:
    print(error.code)`,
      createProxyVariables(`http://127.0.0.1:${port}`),
    )

    expect(output).toBe('[]\ntimed_out\n')
    expect(targets).toEqual(['http://api.invalid/v1/pets?limit=20', 'api.invalid:443'])
  })

  it('the Python client sends a request once that the proxy refuses', async () => {
    const proxy = await startRefusingProxy()

    const output = await runPython(
      `
from pet_adoption import PetAdoptionClient, PetAdoptionError
for scheme in ("http", "https"):
    try:
        PetAdoptionClient(f"{scheme}://api.invalid/v1", "key").page()
    except PetAdoptionError as error:
        print(scheme, error.code, error.status)`,
      createProxyVariables(proxy.url),
    )

    expect(output).toBe('http unexpected_response 407\nhttps unexpected_response 407\n')
    expect(proxy.countRequests()).toBe(2)
  })

  it('the Python client refuses a proxy that is not an HTTP proxy, unless no_proxy names the host', async () => {
    const output = await runPython(
      `
import os
from pet_adoption import PetAdoptionClient
for proxy in ("socks5h://proxy.invalid:1080", "https://proxy.invalid", "proxy.invalid:3128"):
    os.environ["https_proxy"] = proxy
    for host in ("api.invalid", "localhost"):
        try:
            PetAdoptionClient(f"https://{host}/v1", "key")
            print(proxy, host)
        except ValueError as error:
            print(str(error)[:11], host)`,
      { no_proxy: 'localhost', NO_PROXY: 'localhost' },
    )

    expect(output.split('\n')).toEqual([
      'https_proxy api.invalid',
      'socks5h://proxy.invalid:1080 localhost',
      'https_proxy api.invalid',
      'https://proxy.invalid localhost',
      'proxy.invalid:3128 api.invalid',
      'proxy.invalid:3128 localhost',
      '',
    ])
  })

  it('the Python client trusts the certificates of the context that it gets', async () => {
    const server = createHttpsServer({ key: certificateKey, cert: certificate }, (_request, response) => {
      response.end('[]')
    })
    onTestFinished(() => {
      server.close()
    })
    const baseUrl = `https://127.0.0.1:${await listen(server, 0)}/v1`

    const output = await runPython(`
import ssl
from pet_adoption import PetAdoptionClient
context = ssl.create_default_context(cadata="""${certificate}""")
print(PetAdoptionClient("${baseUrl}", "key", ssl_context=context).page().pets)`)

    expect(output).toBe('[]\n')
  })

  it('the Python client tries each address of a host within one time limit', async () => {
    const output = await runPython(`
import socket
import pet_adoption
# Addresses that no machine has (RFC 5737), and that drop what is sent to them.
addresses = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (f"192.0.2.{host}", 9)) for host in range(1, 6)]
pet_adoption.socket.getaddrinfo = lambda *arguments, **options: addresses
waits = []
pet_adoption.time.monotonic = lambda: sum(waits)
class Silent(socket.socket):
    def connect(self, address):
        waits.append(self.gettimeout())
        raise socket.timeout("timed out")
pet_adoption.socket.socket = Silent
try:
    pet_adoption.PetAdoptionClient("http://api.invalid/v1", "key", attempts=1, timeout=0.5).page()
except pet_adoption.PetAdoptionError as error:
    print(error.code, [round(wait, 3) for wait in waits])`)

    expect(output).toBe('timed_out [0.1, 0.1, 0.1, 0.1, 0.1]\n')
  })
})

const clientCode = readFileSync('infra/reference/clients/python/pet_adoption.py', 'utf8')
const { schemas } = readContract().document.components

const describeType = ({ type = '', enum: words }: JsonSchema): string => {
  if (words !== undefined) return 'PetStatus'
  return { string: 'str', integer: 'int', boolean: 'bool' }[type] ?? type
}

/** Reads the fields of a class, such as `name: str`, with those of the class from which it is derived. */
const readClass = (name: string): readonly string[] => {
  const [, base = '', body = ''] =
    new RegExp(`^class ${name}\\((\\w+).*:\\n((?: {4}.*\\n|\\n)*)`, 'm').exec(clientCode) ?? []
  const fields = [...body.matchAll(/^ {4}(\w+: .+)$/gm)].map(([, field = '']) => field)
  return base === 'TypedDict' ? fields : [...readClass(base), ...fields]
}

it('PetStatus of the Python client has the statuses of the contract', () => {
  const words = schemas['PetStatus']?.enum?.map((word) => JSON.stringify(word)) ?? []

  expect(clientCode).toContain(`\nPetStatus = Literal[${words.join(', ')}]\n`)
})

it.each([
  { className: 'Pet', schema: 'Pet' },
  { className: 'NewPet', schema: 'PetInput' },
])('the class $className of the Python client has the fields of the contract', ({ className, schema }) => {
  const fields = Object.entries(schemas[schema]?.properties ?? {})
  const expected = fields.map(([name, field]) => `${name}: ${describeType(field)}`)

  expect(readClass(className).toSorted()).toEqual(expected.toSorted())
})
