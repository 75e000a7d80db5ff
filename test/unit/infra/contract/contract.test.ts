import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { type Contract, contractFile, loadContract } from '../../../../infra/contract/contract.ts'
import { createTemporaryFolder } from '../../../fixtures/temporary-folder.ts'

const contract = readFileSync(contractFile, 'utf8')

interface Edit {
  readonly part: string
  readonly replacement: string
}

/** Loads the contract with parts of its text replaced. */
const loadChanged = (...edits: readonly Edit[]): Promise<Contract> => {
  let changed = contract
  for (const { part, replacement } of edits) {
    expect(changed).toContain(part)
    changed = changed.replace(part, replacement)
  }
  const file = join(createTemporaryFolder(), 'changed.yaml')
  writeFileSync(file, changed)
  return loadContract(pathToFileURL(file))
}

// Parts of the text of the contract.
const petPathLine = '  /pets/{petId}:\n'
const operationIdLine = '      operationId: getPet\n'
const newPetBody = 'application/json:\n            schema: { $ref: "#/components/schemas/NewPet" }'

test.each([
  {
    mistake: 'a path that exists already',
    part: '  /store/orders:\n',
    replacement: '  /pets:\n',
    problem: 'it is not valid YAML: duplicated mapping key',
  },
  {
    mistake: 'an operation without a name',
    part: operationIdLine,
    replacement: '',
    problem: '#/paths/~1pets~1{petId}/get/operationId: Operation object should contain',
  },
  {
    mistake: 'a reference without a target',
    part: 'responses/Blocked',
    replacement: 'responses/Bloked',
    problem: "/~1pets/get/responses/403: Can't resolve",
  },
  {
    mistake: 'an unknown keyword',
    part: operationIdLine,
    replacement: `${operationIdLine}      paramters: []\n`,
    problem: 'Property `paramters` is not expected',
  },
  {
    mistake: 'a method that is not served',
    part: petPathLine,
    replacement: `${petPathLine}    trace: { responses: {} }\n`,
    problem: 'API Gateway responds to OPTIONS',
  },
  {
    mistake: 'a cookie',
    part: 'in: header',
    replacement: 'in: cookie',
    problem: 'only parameters in query, path and header are served',
  },
  {
    mistake: 'security of its own',
    part: operationIdLine,
    replacement: `${operationIdLine}      security: []\n`,
    problem: 'every operation takes an API key',
  },
  {
    mistake: 'a body in XML',
    part: newPetBody,
    replacement: newPetBody.replace('json', 'xml'),
    problem: 'Mime type "application/xml" is not allowed',
  },
  {
    mistake: 'a replacement that is no operation',
    part: 'replacement: listPets',
    replacement: 'replacement: list',
    problem: 'as replacement an operationId',
  },
])(
  'A contract with $mistake is an error that names the file and the problem',
  async ({ part, replacement, problem }) => {
    const loading = loadChanged({ part, replacement })

    await expect(loading).rejects.toThrow(/^Correct shared\/contract\/openapi\.yaml: /)
    await expect(loading).rejects.toThrow(problem)
  },
)

test('A parameter of a path belongs to each of its operations, unless the operation has its own', async () => {
  const createHeader = (name: string, maxLength: number) =>
    `{ name: ${name}, in: header, description: A., schema: { type: string, minLength: 1, maxLength: ${maxLength} } }`
  const limit = '{ $ref: "#/components/parameters/Limit" }'
  const pathParameters = `    parameters: [${createHeader('X-A', 10)}, ${createHeader('X-B', 10)}, ${limit}]\n`
  const petIdReference = '        - $ref: "#/components/parameters/PetId"\n'

  const { operations } = await loadChanged(
    { part: petPathLine, replacement: petPathLine + pathParameters },
    { part: petIdReference, replacement: `${petIdReference}        - ${createHeader('X-B', 20)}\n` },
  )

  const getPet = operations.find((operation) => operation.operationId === 'getPet')
  expect(getPet?.parameters).toMatchObject([
    { name: 'X-A', schema: { maxLength: 10 } },
    { name: 'limit', schema: { minimum: 1, maximum: 100 } },
    { name: 'petId', schema: {} },
    { name: 'X-B', schema: { maxLength: 20 } },
  ])
})
