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
  ['an operation without a name', '      operationId: getPet\n', '', 'it lacks the operationId of get /pets/{petId}.'],
])('a contract is refused for %s, in one line that names the file', (name, text, replacement, problem) => {
  const file = join(folder, `${name}.yaml`)
  writeFileSync(file, contract.replace(text, replacement))
  expect(() => readContract(pathToFileURL(file))).toThrow(`Correct shared/contract/openapi.yaml: ${problem}`)
})
