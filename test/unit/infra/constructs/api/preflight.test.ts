import { expect, it } from 'vitest'
import { listRequestHeaders } from '../../../../../infra/constructs/api/preflight.ts'
import { loadChangedContract } from '../../../../fixtures/changed-contract.ts'

const limitReference = '        - $ref: "#/components/parameters/Limit"\n'
const headerParameter = `        - name: Pet-Colour
          in: header
          description: The colour of the animals.
          schema: { type: string, enum: [black, white] }
          example: black
`

it('a browser may send every header that an operation of the contract takes, and any other', async () => {
  const { operations } = await loadChangedContract({
    part: limitReference,
    replacement: limitReference + headerParameter,
  })

  expect(listRequestHeaders(operations)).toEqual([
    'Authorization',
    'Content-Type',
    'Pet-Colour',
    'Idempotency-Key',
    '*',
  ])
})
