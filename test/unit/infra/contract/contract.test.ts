import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { contractFile, readContract } from '../../../../infra/contract/contract.ts'

const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-contract-'))
afterAll(() => rmSync(folder, { recursive: true }))

const contract = readFileSync(contractFile, 'utf8')

it.each([
  ['a path that exists', '  /store/orders:\n', '  /pets:\n', 'it is not valid YAML: Map keys must be unique at line'],
  [
    'a path with another name of its parameter',
    '  /store/orders:\n',
    '  /pets/{id}:\n',
    '/pets/{id} is the path /pets/{petId}: put its methods there.',
  ],
  [
    'a method that API Gateway does not have',
    '    post:\n',
    '    trace:\n',
    '/pets has trace, which is no method. It must be get, put, post, delete, patch or head.',
  ],
  ['an operation without a name', '      operationId: getPet\n', '', 'it lacks the operationId of get /pets/{petId}.'],
  [
    'an operation with the name of another one',
    'operationId: getPet\n',
    'operationId: listPets\n',
    'two operations are named listPets.',
  ],
])('a contract is refused for %s, in one line that names the file', (name, text, replacement, problem) => {
  const file = join(folder, `${name}.yaml`)
  writeFileSync(file, contract.replace(text, replacement))
  expect(() => readContract(pathToFileURL(file))).toThrow(`Correct shared/contract/openapi.yaml: ${problem}`)
})
