import { describe, expect, it } from 'vitest'
import { readContract } from '../../../../infra/contract/contract.ts'
import { type CatalogueEntry, catalogue } from '../../../../shared/errors/catalogue.ts'

interface Example {
  readonly code: string
  readonly message: string
  readonly status: number
}

const { document, operations, unroutedResponses } = readContract()
const entries: [string, CatalogueEntry][] = Object.entries(catalogue)

/** Every error of the contract, with the status under which it is documented. */
const examples = [...operations.map(({ responses }) => responses), unroutedResponses]
  .flatMap((responses) => Object.entries(responses))
  .filter(([status]) => Number(status) >= 400)
  .flatMap(([status, { content }]) =>
    // The schema of the contract, which says what each has, is not in question here.
    Object.values(content['application/json'].examples ?? {}).map(({ value }) => ({
      under: Number(status),
      ...(value as Example),
    })),
  )

/** The codes whose message always is the catalogue's. */
const saidOtherwise = new Set([
  'invalid_parameter',
  'invalid_header',
  'invalid_body',
  'operation_removed',
  'method_not_allowed',
  'rate_limit_exceeded',
])

describe('the error catalogue and the contract', () => {
  it('know the same codes', () => {
    expect(Object.keys(catalogue)).toEqual(document.components.schemas['ErrorCode']?.enum)
  })

  it('give every code the same status', () => {
    const fromContract = new Set(examples.map(({ code, status }) => `${code} ${status}`))
    expect([...fromContract].sort()).toEqual(entries.map(([code, { status }]) => `${code} ${status}`).sort())
  })

  it('list every error under the status that its body has', () => {
    expect(examples.filter(({ under, status }) => under !== status)).toEqual([])
  })

  it('agree on every message that never changes', () => {
    const constant = examples.filter(({ code }) => !saidOtherwise.has(code))
    const messages = new Map(entries.map(([code, { message }]) => [code, message]))
    expect(constant.length).toBeGreaterThan(0)
    expect(constant.filter(({ code, message }) => messages.get(code) !== message)).toEqual([])
  })
})

describe('the message of an error', () => {
  it.each(entries)('can stand in a body that API Gateway fills by substitution: %s', (_code, { message }) => {
    expect(message).toMatch(/^[^"\\\p{Cc}]+\.$/u)
  })
})
