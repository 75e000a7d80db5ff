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
  readonly replacement: string
}

/** Loads the contract with a part of its text replaced. */
const loadChangedContract = ({ part, replacement }: ContractEdit) => {
  const contract = readFileSync(contractFile, 'utf8')
  if (!contract.includes(part)) throw new Error(`The contract has no "${part}".`)
  const changed = contract.replace(part, () => replacement)
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
  replacement: `${parameterLine}        - { description: A., ${parameter} }\n`,
})

const mistakes: readonly (ContractEdit & { readonly mistake: string; readonly problem: string })[] = [
  {
    mistake: 'a reference without a target',
    part: 'responses/Blocked',
    replacement: 'responses/Bloked',
    problem: "#/x-unrouted-responses/403: Can't resolve",
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
    problem: '/trace: API Gateway responds to OPTIONS',
  },
  {
    mistake: 'a path on another server',
    part: petPathLine,
    replacement: `${petPathLine}    servers: [{ url: /v2, description: Other. }]\n`,
    problem: '/servers: every path is on the same server',
  },
  {
    mistake: 'parameters of a path',
    part: petPathLine,
    replacement: `${petPathLine}    parameters: []\n`,
    problem: '/parameters: every path is on the same server, and its parameters',
  },
  {
    mistake: 'an operation on another server',
    part: operationIdLine,
    replacement: `${operationIdLine}      servers: [{ url: /v2, description: Other. }]\n`,
    problem: 'every operation is on the same server',
  },
  {
    mistake: 'an operation that has its own security',
    part: operationIdLine,
    replacement: `${operationIdLine}      security: []\n`,
    problem: 'every operation takes an API key',
  },
  {
    mistake: 'a body that is not described',
    part: newPetDescription,
    replacement: newPetDescription.replace('description', 'x-description'),
    problem: '/post/requestBody/description: the reference says what a',
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
    replacement: newPetBody.replace('json', 'xml'),
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
    replacement: '',
    problem: 'must contain a "X-RateLimit-Reset" header.',
  },
  {
    mistake: 'a body without examples',
    part: petExamples,
    replacement: petExamples.replace('examples', 'x-examples'),
    problem: 'every body needs examples, which the reference shows',
  },
  {
    mistake: 'a path that exists already',
    part: '  /store/orders:\n',
    replacement: '  /pets:\n',
    problem: 'it is not valid YAML: duplicated mapping key',
  },
  {
    mistake: 'an operation without a response of API Gateway',
    part: '        "504": { $ref: "#/components/responses/GatewayTimeout" }\n\n  /pets/{petId}',
    replacement: '\n  /pets/{petId}',
    problem: 'POST /pets: it needs the responses 504, as every operation.',
  },
  {
    mistake: 'a replacement that is no operation',
    part: 'replacement: listPets',
    replacement: 'replacement: list',
    problem: 'GET /pets/{petId}, x-deprecation: replacement must be the operationId of a path without parameters.',
  },
  {
    mistake: 'a replacement whose path has a parameter',
    part: 'replacement: listPets',
    replacement: 'replacement: getPet',
    problem: 'GET /pets/{petId}, x-deprecation: replacement must be',
  },
  {
    mistake: 'a deprecation whose date does not exist',
    part: 'sunset: "2030-12-05"',
    replacement: 'sunset: "2030-13-05"',
    problem: 'GET /pets/{petId}, x-deprecation: it must have advice, and since and sunset as dates',
  },
]

test.each(mistakes)('loadContract refuses $mistake, and names the problem', async ({ problem, ...edit }) => {
  await expect(loadChangedContract(edit)).rejects.toThrow(problem)
})

test('a mistake in the contract is a UserError that names the file', async () => {
  const loading = loadChangedContract({ part: 'replacement: listPets', replacement: 'replacement: list' })

  await expect(loading).rejects.toThrow(UserError)
  await expect(loading).rejects.toThrow(/^Correct shared\/contract\/openapi\.yaml: /)
})
