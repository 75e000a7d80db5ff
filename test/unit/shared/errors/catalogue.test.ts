import { describe, expect, it } from 'vitest'
import { readContract } from '../../../../infra/contract/contract.ts'
import { type CatalogueEntry, catalogue } from '../../../../shared/errors/catalogue.ts'

interface Example {
  readonly code: string
  readonly message: string
  readonly status: number
}

const { document, resolve } = readContract()
const entries: [string, CatalogueEntry][] = Object.entries(catalogue)

const values = (node: unknown): unknown[] => Object.values(resolve(node ?? {}))

/** Every response object of the contract, with the status under which it is documented. */
const documented = [
  ...values(document['paths'])
    .flatMap(values)
    .map((operation) => resolve(operation)['responses']),
  document['x-unrouted-responses'],
].flatMap((responses) => Object.entries(resolve(responses)).filter(([status]) => /^\d{3}$/.test(status)))

const examples = documented
  .filter(([status]) => Number(status) >= 400)
  .flatMap(([status, response]) => {
    const content = resolve(resolve(response)['content'])
    const shown = values(resolve(content['application/json'])['examples'])
    // The schema of the contract, which says what each has, is not in question here.
    return shown.map((example) => ({ under: Number(status), ...(resolve(example)['value'] as Example) }))
  })

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
    const schemas = resolve(resolve(document['components'])['schemas'])
    expect(Object.keys(catalogue)).toEqual(resolve(schemas['ErrorCode'])['enum'])
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
