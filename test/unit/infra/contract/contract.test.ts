import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { contractFile, loadContract } from '../../../../infra/contract/contract.ts'
import { createTemporaryFolder } from '../../../fixtures/machine/temporary-folder.ts'

/** A change of the contract, as a contributor makes it: replaces the first place that has the part. */
interface ContractEdit {
  readonly part: string
  readonly replacement: string
}

/** Loads the contract with parts of its text replaced. */
const loadChangedContract = (...edits: readonly ContractEdit[]) => {
  let changed = readFileSync(contractFile, 'utf8')
  for (const { part, replacement } of edits) {
    if (!changed.includes(part)) throw new Error(`The contract has no "${part}".`)
    changed = changed.replace(part, () => replacement)
  }
  // The path of a clone may have a `#` too.
  const file = join(createTemporaryFolder(), 'changed#1.yaml')
  writeFileSync(file, changed)
  return loadContract(pathToFileURL(file))
}

// Parts of the text of the contract.
const limitHeaderLine = '            X-RateLimit-Reset: { $ref: "#/components/headers/X-RateLimit-Reset" }\n'
const petPathLine = '  /pets/{petId}:\n'
const operationIdLine = '      operationId: getPet\n'
const newPetBody = 'application/json:\n            schema: { $ref: "#/components/schemas/PetInput" }'
const petExamples =
  '              examples:\n                bella:\n                  summary: The pet with its identifier'

/** Mistakes in the parts of a contract that the linter checks. */
const lintedMistakes = [
  {
    part: petPathLine,
    replacement: `${petPathLine}    servers: [{ url: /v2, description: Other. }]
    trace: { responses: {} }
    parameters:
      - { name: X-A, in: cookie, explode: true, description: A., schema: { type: string, pattern: '(?=.*\\S)' } }
`,
  },
  {
    part: operationIdLine,
    replacement: `${operationIdLine}      servers: [{ url: /v2, description: Other. }]
      security: []
      paramters: []
`,
  },
  { part: 'responses/Blocked', replacement: 'responses/Bloked' },
  { part: newPetBody, replacement: newPetBody.replace('json', 'xml') },
  {
    part: '      requestBody:\n        description: |\n',
    replacement: '      requestBody:\n        x-description: |\n',
  },
  { part: limitHeaderLine, replacement: '' },
  { part: petExamples, replacement: petExamples.replace('examples', 'x-examples') },
]

describe('A contract with mistakes that the linter finds', () => {
  let message: string

  beforeAll(async () => {
    message = await loadChangedContract(...lintedMistakes).then(String, String)
  })

  test('A contract with mistakes that the linter finds is an error that names the file', () => {
    expect(message).toMatch(/^UserError: Correct shared\/contract\/openapi\.yaml: /)
  })

  test.each([
    { mistake: 'a reference without a target', problem: "#/x-unrouted-responses/403: Can't resolve" },
    { mistake: 'an unknown keyword', problem: 'Property `paramters` is not expected' },
    { mistake: 'a method that is not served', problem: '/trace: API Gateway responds to OPTIONS' },
    { mistake: 'a path on another server', problem: '/servers: every path is on the same server' },
    { mistake: 'parameters of a path', problem: '/parameters: every path is on the same server, and its parameters' },
    { mistake: 'an operation on another server', problem: 'every operation is on the same server' },
    { mistake: 'security of its own', problem: 'every operation takes an API key' },
    { mistake: 'a body that is not described', problem: '/post/requestBody/description: the reference says what a' },
    { mistake: 'a parameter with several values', problem: 'a parameter is one value' },
    { mistake: 'a cookie', problem: 'only parameters in query, path and header are served' },
    { mistake: 'a body in XML', problem: 'Mime type "application/xml" is not allowed' },
    { mistake: 'a pattern that looks ahead', problem: 'the pattern does not compile in every engine' },
    { mistake: 'a pattern without an anchor', problem: 'the pattern must begin with ^ and end with $' },
    { mistake: 'a success without the headers of limits', problem: 'must contain a "X-RateLimit-Reset" header.' },
    { mistake: 'a body without examples', problem: 'every body needs examples, which the reference shows' },
  ])('A contract with $mistake is an error that names the problem', ({ problem }) => {
    expect(message).toContain(problem)
  })
})

test.each([
  {
    mistake: 'a path that exists already',
    part: '  /store/orders:\n',
    replacement: '  /pets:\n',
    problem: 'it is not valid YAML: duplicated mapping key',
  },
  {
    mistake: 'an operation that cannot be served',
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
    mistake: 'a deprecation without a date',
    part: 'sunset: "2030-12-05"',
    replacement: 'sunset: "2030-13-05"',
    problem: 'GET /pets/{petId}, x-deprecation: it must have advice, and since and sunset as dates',
  },
])('A contract with $mistake is an error', async ({ part, replacement, problem }) => {
  await expect(loadChangedContract({ part, replacement })).rejects.toThrow(problem)
})
