import { expect, it } from 'vitest'
import { readContract } from '../../../../infra/contract/contract.ts'
import { catalogue } from '../../../../shared/contract/generated/errors.ts'

const { operations, unroutedResponses } = readContract()
const errors = Object.entries(catalogue)

it('the contract documents each error of the catalogue, and every error under its own status', () => {
  const documented = [...operations.map(({ responses }) => responses), unroutedResponses]
    .flatMap((responses) => Object.entries(responses))
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { content }]) => {
      // The linter compares each with the schema of an error.
      const examples = Object.values(content['application/json'].examples ?? {}) as { value: { code: string } }[]
      return examples.map(({ value }) => ({ ...value, under: Number(status) }))
    })
  const expected = errors.map(([code, { status }]) => `${code} ${status} ${status}`)
  const shown = documented.map(({ code, under, ...error }) => `${code} ${Reflect.get(error, 'status')} ${under}`)
  expect([...new Set(shown)].toSorted()).toEqual(expected.toSorted())
})

it.each(errors)(
  'the message of %s can stand in a body that API Gateway fills by substitution',
  (_code, { message }) => {
    expect(message).toMatch(/^[^"\\\p{Cc}]+\.$/u)
  },
)
