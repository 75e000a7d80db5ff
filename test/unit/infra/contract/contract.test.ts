import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { UserError } from '../../../../infra/command-line/user-error.ts'
import { contractFile, loadContract } from '../../../../infra/contract/contract.ts'
import { createTemporaryFolder } from '../../../fixtures/machine/temporary-folder.ts'

/** A change of the contract, as a contributor makes it: replaces the first place that has the part. */
interface ContractEdit {
  readonly part: string
  readonly newText: string
}

/** Loads the contract with a part of its text replaced. */
const loadChangedContract = ({ part, newText }: ContractEdit) => {
  const contract = readFileSync(contractFile, 'utf8')
  if (!contract.includes(part)) throw new Error(`The contract has no "${part}".`)
  const changed = contract.replace(part, () => newText)
  // The name has a `#` because the path of a clone may have one.
  const file = join(createTemporaryFolder(), 'changed#1.yaml')
  writeFileSync(file, changed)
  return loadContract(pathToFileURL(file))
}

// Parts of the text of the contract.
const limitHeaderLine = '            X-RateLimit-Reset: { $ref: "#/components/headers/X-RateLimit-Reset" }\n'
const parameterLine = '        - $ref: "#/components/parameters/Limit"\n'
const petPathLine = '  /pets/{petId}:\n'
const operationIdLine = '      operationId: getPet\n'
const newPetBody = 'application/json:\n            schema: { $ref: "#/components/schemas/PetInput" }'
const newPetDescription = '      requestBody:\n        description: |\n'
const petExamples =
  '              examples:\n                bella:\n                  summary: The pet with its identifier'

/** Adds a parameter to an operation. */
const addParameter = (parameter: string): ContractEdit => ({
  part: parameterLine,
  newText: `${parameterLine}        - { description: A., ${parameter} }\n`,
})

const mistakes: readonly (ContractEdit & { readonly mistake: string; readonly problem: string })[] = [
  {
    mistake: 'a reference without a target',
    part: 'responses/Blocked',
    newText: 'responses/Bloked',
    problem: "#/x-unrouted-responses/403: Can't resolve",
  },
  {
    mistake: 'an unknown keyword',
    part: operationIdLine,
    newText: `${operationIdLine}      paramters: []\n`,
    problem: 'Property `paramters` is not expected',
  },
  {
    mistake: 'a method that is not served',
    part: petPathLine,
    newText: `${petPathLine}    trace: { responses: {} }\n`,
    problem: '/trace: API Gateway responds to OPTIONS itself, has no TRACE',
  },
  {
    mistake: 'a path on another server',
    part: petPathLine,
    newText: `${petPathLine}    servers: [{ url: /v2, description: Other. }]\n`,
    problem: '/servers: every path is on the same server',
  },
  {
    mistake: 'parameters of a path',
    part: petPathLine,
    newText: `${petPathLine}    parameters: []\n`,
    problem: '/parameters: every path is on the same server, and its parameters stand with its operations',
  },
  {
    mistake: 'an operation on another server',
    part: operationIdLine,
    newText: `${operationIdLine}      servers: [{ url: /v2, description: Other. }]\n`,
    problem: 'every operation is on the same server',
  },
  {
    mistake: 'an operation that has its own security',
    part: operationIdLine,
    newText: `${operationIdLine}      security: []\n`,
    problem: 'every operation takes an API key',
  },
  {
    mistake: 'a body that is not described',
    part: newPetDescription,
    newText: newPetDescription.replace('description', 'x-description'),
    problem: '/post/requestBody/description: the reference says what a body is',
  },
  {
    mistake: 'a parameter with several values',
    ...addParameter('name: X-A, in: query, explode: true, schema: { type: string }'),
    problem: 'a parameter is one value',
  },
  {
    mistake: 'a cookie',
    ...addParameter('name: X-B, in: cookie, schema: { type: string }'),
    problem: 'only parameters in query, path and header are served',
  },
  {
    mistake: 'a parameter without a schema',
    ...addParameter('name: X-E, in: query, content: { text/plain: { schema: { type: string } } }'),
    problem: '/parameters/1/schema: rule/parameter-schema failed',
  },
  {
    mistake: 'an enumeration of numbers',
    ...addParameter('name: X-F, in: query, schema: { type: string, enum: [1] }'),
    problem: 'All values of `enum` field must be of the same type as the `type` field',
  },
  {
    mistake: 'a body in XML',
    part: newPetBody,
    newText: newPetBody.replace('json', 'xml'),
    problem: 'Mime type "application/xml" is not allowed',
  },
  {
    mistake: 'a pattern that looks ahead',
    ...addParameter("name: X-C, in: query, schema: { type: string, pattern: '^(?=.*a)$' }"),
    problem: 'the pattern does not compile in every engine',
  },
  {
    mistake: 'a pattern without an anchor',
    ...addParameter("name: X-D, in: query, schema: { type: string, pattern: 'a' }"),
    problem: 'the pattern must begin with ^ and end with $',
  },
  {
    mistake: 'a success without the headers of limits',
    part: limitHeaderLine,
    newText: '',
    problem: 'must contain a "X-RateLimit-Reset" header.',
  },
  {
    mistake: 'a body without examples',
    part: petExamples,
    newText: petExamples.replace('examples', 'x-examples'),
    problem: 'every body needs examples, which the reference shows',
  },
  {
    mistake: 'a path that exists already',
    part: '  /store/orders:\n',
    newText: '  /pets:\n',
    problem: 'it is not valid YAML: duplicated mapping key',
  },
  {
    mistake: 'an operation without a response of API Gateway',
    part: '        "504": { $ref: "#/components/responses/GatewayTimeout" }\n\n  /pets/{petId}',
    newText: '\n  /pets/{petId}',
    problem: 'POST /pets: it needs the responses 504, as every operation.',
  },
  {
    mistake: 'a deprecation whose replacement is no operation',
    part: 'replacement: listPets',
    newText: 'replacement: list',
    problem: 'GET /pets/{petId}, x-deprecation: replacement must be the operationId of a path without parameters.',
  },
  {
    mistake: 'a deprecation whose replacement has a parameter in its path',
    part: 'replacement: listPets',
    newText: 'replacement: getPet',
    problem: 'GET /pets/{petId}, x-deprecation: replacement must be the operationId of a path without parameters.',
  },
  {
    mistake: 'a deprecation whose date does not exist',
    part: 'sunset: "2030-12-05"',
    newText: 'sunset: "2030-13-05"',
    problem: 'GET /pets/{petId}, x-deprecation: it must have advice, and since and sunset as dates',
  },
]

test.each(mistakes)('loadContract refuses $mistake, and names the problem', async ({ problem, ...edit }) => {
  await expect(loadChangedContract(edit)).rejects.toThrow(problem)
})

test('a mistake in the contract is a UserError that names the file', async () => {
  const loading = loadChangedContract({ part: 'replacement: listPets', newText: 'replacement: list' })

  await expect(loading).rejects.toThrow(UserError)
  await expect(loading).rejects.toThrow(/^Correct shared\/contract\/openapi\.yaml: /)
})
