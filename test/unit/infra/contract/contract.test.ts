import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { type Contract, contractFile, loadContract } from '../../../../infra/contract/contract.ts'
import { createTemporaryFolder } from '../../../fixtures/temporary-folder.ts'

const contract = readFileSync(contractFile, 'utf8')

/** Reads the contract with parts of it replaced. */
const loadChanged = (part: string, replacement: string, other = '', otherReplacement = ''): Promise<Contract> => {
  for (const replaced of [part, other]) expect(contract).toContain(replaced)
  const file = join(createTemporaryFolder(), 'changed.yaml')
  writeFileSync(file, contract.replace(part, replacement).replace(other, otherReplacement))
  return loadContract(pathToFileURL(file))
}

const path = '  /pets/{petId}:\n'
const name = '      operationId: getPet\n'

const newPet = 'application/json:\n            schema: { $ref: "#/components/schemas/NewPet" }'

it.each([
  ['a path that exists', '  /store/orders:\n', '  /pets:\n', 'it is not valid YAML: duplicated mapping key'],
  ['an operation without a name', name, '', '#/paths/~1pets~1{petId}/get/operationId: Operation object should contain'],
  ['a reference to nothing', 'responses/Blocked', 'responses/Bloked', "/~1pets/get/responses/403: Can't resolve"],
  ['an unknown keyword', name, `${name}      paramters: []\n`, 'Property `paramters` is not expected'],
  ['a method that is not served', path, `${path}    trace: { responses: {} }\n`, 'API Gateway responds to OPTIONS'],
  ['a cookie', 'in: header', 'in: cookie', 'only parameters in query, path and header are served'],
  ['security of its own', name, `${name}      security: []\n`, 'every operation takes an API key'],
  ['a body in XML', newPet, newPet.replace('json', 'xml'), 'Mime type "application/xml" is not allowed'],
  ['a replacement that is no operation', 'replacement: listPets', 'replacement: list', 'as replacement an operationId'],
])('a contract is refused by its place in the file for %s', async (_, part, replacement, problem) => {
  const refused = loadChanged(part, replacement)
  await expect(refused).rejects.toThrow(/^Correct shared\/contract\/openapi\.yaml: /)
  await expect(refused).rejects.toThrow(problem)
})

it('a parameter of a path belongs to each of its operations, unless the operation has its own', async () => {
  const header = (name: string, longest: number) =>
    `{ name: ${name}, in: header, description: A., schema: { type: string, minLength: 1, maxLength: ${longest} } }`
  const ofPath = `    parameters: [${header('X-A', 10)}, ${header('X-B', 10)}, { $ref: "#/components/parameters/Limit" }]\n`
  const petId = '        - $ref: "#/components/parameters/PetId"\n'
  const { operations } = await loadChanged(path, path + ofPath, petId, `${petId}        - ${header('X-B', 20)}\n`)
  const { parameters = [] } = operations.find(({ operationId }) => operationId === 'getPet') ?? {}
  expect(parameters.map(({ name, schema }) => [name, schema])).toMatchObject([
    ['X-A', { maxLength: 10 }],
    ['limit', { minimum: 1, maximum: 100 }],
    ['petId', {}],
    ['X-B', { maxLength: 20 }],
  ])
})
