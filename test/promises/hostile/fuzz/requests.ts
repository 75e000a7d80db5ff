import fc from 'fast-check'
import type { Contract, ContractOperation, ContractParameter } from '../../../../infra/contract/contract.ts'
import { stringifyExactJson } from '../../../../shared/exact-json.ts'
import { encode, type HostileRequest, spoil, unroutedRequests } from './garbage.ts'
import { spellings } from './json-text.ts'
import { isValidParameter, readSchema } from './schema.ts'
import { anyCharacter, brokenParameter, brokenValue, validParameter, validValue } from './values.ts'

/** The parts of a request to one operation. Names of parameters are as in the contract. */
interface Parts {
  readonly path: Readonly<Record<string, string>>
  /** As they are sent; a name may be there twice. */
  readonly query: readonly (readonly [name: string, value: string])[]
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: string
}

/** Requests for every operation of the contract, and for none. They carry the key, or one that is none. */
export const requests = (contract: Contract, apiKey: string): fc.Arbitrary<HostileRequest> =>
  fc.oneof(
    ...contract.operations.map((operation) => ({
      weight: 4,
      arbitrary: operationRequests(contract, operation, apiKey),
    })),
    { weight: 1, arbitrary: unroutedRequests(contract, apiKey) },
  )

const operationRequests = (contract: Contract, operation: ContractOperation, apiKey: string) => {
  const valid = validParts(contract, operation, apiKey)
  const request = (kind: HostileRequest['kind']) => (parts: Parts) => toRequest(operation, parts, kind)
  return fc.oneof(
    { weight: 4, arbitrary: valid.map(request('valid')) },
    { weight: 4, arbitrary: brokenParts(contract, operation, valid).map(request('broken')) },
    { weight: 2, arbitrary: valid.map(request('garbage')).chain(spoil) },
  )
}

const toRequest = (
  operation: ContractOperation,
  { path, query, headers, body }: Parts,
  kind: HostileRequest['kind'],
) => {
  const target = operation.path.replace(/\{(\w+)\}/g, (_braces, name: string) => encode(path[name] ?? ''))
  const search = query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
  return {
    method: operation.method,
    target: search === '' ? target : `${target}?${search}`,
    headers,
    kind,
    ...(body === undefined ? {} : { body }),
  }
}

const validParts = (
  contract: Contract,
  { parameters, body }: ContractOperation,
  apiKey: string,
): fc.Arbitrary<Parts> => {
  const present = parameters.map((parameter) => {
    const value = validParameter(readSchema(contract, parameter.schema)).filter((text) => canBeSent(parameter, text))
    const entry = value.map((text) => [[parameter.name, text] as const])
    return { place: parameter.in, entries: parameter.required ? entry : fc.oneof(entry, fc.constant([])) }
  })
  const entriesIn = (place: ContractParameter['in']) =>
    fc
      .tuple(...present.filter((parameter) => parameter.place === place).map(({ entries }) => entries))
      .map((all) => all.flat())
  const type = body === undefined ? [] : [['Content-Type', 'application/json'] as const]
  return fc
    .tuple(
      entriesIn('path').map(Object.fromEntries<string>),
      entriesIn('query'),
      entriesIn('header').map((headers) => [['Authorization', `Bearer ${apiKey}`] as const, ...type, ...headers]),
      body === undefined
        ? fc.constant({})
        : validValue(readSchema(contract, body))
            .chain(spellings)
            .map((text) => ({ body: text })),
    )
    .map(([path, query, headers, sent]) => ({ path, query, headers, ...sent }))
}

/** A path of an empty segment is another path, and HTTP carries neither controls nor outer space in a header. */
const canBeSent = (parameter: ContractParameter, text: string): boolean =>
  (parameter.in !== 'path' || text !== '') &&
  (parameter.in !== 'header' || /^(?! )[ -~\u0080-\u00ff]*(?<! )$/.test(text))

type Change = (parts: Parts) => Parts

const brokenParts = (
  contract: Contract,
  operation: ContractOperation,
  valid: fc.Arbitrary<Parts>,
): fc.Arbitrary<Parts> => {
  const changes: fc.Arbitrary<Change>[] = [
    ...operation.parameters.map((parameter) => brokenParameterChange(contract, parameter)),
    unknownQuery(operation),
    brokenAuthorization,
    ...(operation.body === undefined ? [] : [brokenBody(contract, operation.body), brokenType]),
  ]
  return fc.tuple(valid, fc.oneof(...changes)).map(([parts, change]) => change(parts))
}

const without = (entries: Parts['query'], name: string): Parts['query'] => entries.filter(([own]) => own !== name)

const brokenParameterChange = (contract: Contract, parameter: ContractParameter): fc.Arbitrary<Change> => {
  const { name } = parameter
  const schema = readSchema(contract, parameter.schema)
  const broken = brokenParameter(schema)
    .map((text) => (parameter.in === 'header' ? text : text.toWellFormed()))
    .filter((text) => canBeSent(parameter, text) && !isValidParameter(schema, text))
  if (parameter.in === 'path')
    return broken.map((text) => (parts) => ({ ...parts, path: { ...parts.path, [name]: text } }))
  const place = parameter.in === 'query' ? 'query' : 'headers'
  const sent = fc.oneof(
    broken.map((text) => [text]),
    fc
      .tuple(validParameter(schema), validParameter(schema))
      .filter((texts) => texts.every((text) => canBeSent(parameter, text))),
  )
  return sent.map((texts) => (parts) => ({
    ...parts,
    [place]: [...without(parts[place], name), ...texts.map((text) => [name, text] as const)],
  }))
}

const unknownQuery = ({ parameters }: ContractOperation): fc.Arbitrary<Change> =>
  fc
    .tuple(
      fc.oneof(fc.string({ unit: anyCharacter, minLength: 1 }), fc.constantFrom('__proto__', 'constructor', 'a\r\nb')),
      fc.string(),
    )
    .filter(
      ([name]) => !parameters.some((parameter) => parameter.in === 'query' && parameter.name === name.toWellFormed()),
    )
    .map((entry) => (parts) => ({ ...parts, query: [...parts.query, entry] }))

const brokenAuthorization: fc.Arbitrary<Change> = fc
  .constantFrom<(key: string) => readonly string[]>(
    () => [],
    () => [''],
    (key) => [key, key],
    (key) => [key.slice(0, -1)],
    (key) => [`${key}0`],
    (key) => [key.replace(/\w$/, (last) => (last === 'a' ? 'b' : 'a'))],
    (key) => [key.replace('Bearer', 'Basic')],
    (key) => [key.replace('Bearer ', '')],
    (key) => [`${key}, ${key}`],
    (key) => [key.toUpperCase()],
  )
  .map((change) => (parts) => {
    const key = parts.headers.find(([name]) => name === 'Authorization')?.[1] ?? ''
    const others = without(parts.headers, 'Authorization')
    return { ...parts, headers: [...others, ...change(key).map((value) => ['Authorization', value] as const)] }
  })

const brokenBody = (contract: Contract, body: unknown): fc.Arbitrary<Change> => {
  const broken = brokenValue(readSchema(contract, body))
  return fc
    .oneof(
      broken.map(stringifyExactJson),
      broken.chain(spellings),
      fc.constantFrom('', ' ', '{', '[]', 'null', '\ufeff{}'),
    )
    .map((text) => (parts) => ({ ...parts, body: text }))
}

const brokenType: fc.Arbitrary<Change> = fc
  .constantFrom(
    [],
    ['text/plain'],
    ['application/json; charset=utf-16'],
    ['application/json', 'text/plain'],
    ['json'],
    [''],
  )
  .map((types) => (parts) => ({
    ...parts,
    headers: [...without(parts.headers, 'Content-Type'), ...types.map((type) => ['Content-Type', type] as const)],
  }))
