import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readContract } from '../../../../../../infra/contract/contract.ts'
import type { JsonSchema } from '../../../../../../infra/contract/openapi.ts'
import { listen } from '../../../../../../infra/local/gateway/listen.ts'
import { hasPython, python, runProgram } from '../../../../../fixtures/machine/programs.ts'

const clientFolder = fileURLToPath(new URL('../../../../../../infra/reference/clients/python/', import.meta.url))

const runPython = (program: string, variables: Readonly<Record<string, string>> = {}): Promise<string> =>
  runProgram(python, ['-W', 'error', '-c', program], clientFolder, variables)

describe.skipIf(!hasPython())('the Python client', () => {
  it('the Python client waits 30 seconds for each byte by default', async () => {
    const output = await runPython(`
import requests
from pet_adoption import PetAdoptionClient
def answer(session, method, url, **settings):
    response = requests.Response()
    response.status_code = 200
    response._content = b"[]"
    print(settings["timeout"])
    return response
requests.Session.request = answer
PetAdoptionClient("http://127.0.0.1/v1", "key").page()`)

    expect(output).toBe('30\n')
  })

  it('the Python client works in a process that was forked after a request', async () => {
    const server = createServer((_request, response) => response.end('[]'))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const baseUrl = `http://127.0.0.1:${await listen(server, 0)}/v1`

    const output = await runPython(`
import os
from pet_adoption import PetAdoptionClient
client = PetAdoptionClient("${baseUrl}", "key")
client.page()
child = os.fork()
for _ in range(50):
    assert client.page().pets == []
if child != 0:
    print(os.waitpid(child, 0)[1])`)

    expect(output).toBe('0\n')
  })

  it('the Python client refuses an invalid proxy of the environment at once, and hides its password', async () => {
    const output = await runPython(
      `
import os
from pet_adoption import PetAdoptionClient
for proxy in ("http://name:secret@proxy.invalid:port", "http://name:secret@proxy.invalid:99999", "http://:3128"):
    os.environ["http_proxy"] = proxy
    try:
        PetAdoptionClient("http://api.invalid/v1", "key").page()
    except ValueError as error:
        print("secret" in str(error), str(error).split(":")[0])`,
      { no_proxy: 'localhost', NO_PROXY: 'localhost' },
    )

    expect(output).toBe('False The base URL, or a proxy of the environment, cannot work\n'.repeat(3))
  })

  it('the Python client refuses a base URL with a blank at its end, a letter beyond ASCII, or an empty label', async () => {
    const output = await runPython(`
from pet_adoption import PetAdoptionClient
for base_url in ("http://127.0.0.1/v1 ", "http://127.0.0.1/é", "http://a..b/v1"):
    try:
        PetAdoptionClient(base_url, "key")
    except ValueError as error:
        print(error)`)

    const message = 'base_url must be a URL of ASCII characters, such as https://api.example.org/v1.\n'
    expect(output).toBe(message.repeat(3))
  })
})

const clientCode = readFileSync('infra/reference/clients/python/pet_adoption.py', 'utf8')
const { schemas } = readContract().document.components

const describeType = ({ type = '', enum: words }: JsonSchema): string => {
  if (words !== undefined) return 'PetStatus'
  return { string: 'str', integer: 'int', boolean: 'bool' }[type] ?? type
}

/** Reads the fields of a class and of its base class, such as `name: str`. */
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
