import fc from 'fast-check'
import type { Contract, ContractOperation } from '../../../../infra/contract/contract.ts'
import type { ContractParameter, JsonSchema } from '../../../../infra/contract/openapi.ts'
import { encode, type HostileRequest, spoil, unroutedRequests } from './garbage.ts'
import { spellings } from './json-text.ts'
import { isValidParameter, readSchema } from './schema.ts'
import { brokenParameter, brokenValue, validParameter, validValue } from './values.ts'

type Place = ContractParameter['in']

/** The parts of a request to one operation. Names of parameters are as in the contract; one may be there twice. */
interface Parts {
  readonly entries: readonly Entry[]
  readonly body?: string
}

type Entry = readonly [place: Place, name: string, value: string]

/** Requests for every operation of the contract, and for none. They carry the key, or one that is none. */
export const requests = (contract: Contract, apiKey: string): fc.Arbitrary<HostileRequest> =>
  fc.oneof(
    ...contract.operations.map((operation) => ({
      weight: 4,
      arbitrary: operationRequests(operation, `Bearer ${apiKey}`),
    })),
    { weight: 1, arbitrary: unroutedRequests(contract, apiKey) },
  )

const operationRequests = (operation: ContractOperation, authorization: string) => {
  const valid = validParts(operation, authorization)
  const broken = fc
    .tuple(valid, fc.oneof(...brokenChanges(operation, authorization)))
    .map(([parts, change]) => change(parts))
  const request = (kind: HostileRequest['kind']) => (parts: Parts) => toRequest(operation, parts, kind)
  return fc.oneof(
    { weight: 4, arbitrary: valid.map(request('valid')) },
    { weight: 4, arbitrary: broken.map(request('broken')) },
    { weight: 2, arbitrary: valid.map(request('garbage')).chain(spoil) },
  )
}

const toRequest = (
  { method, path }: ContractOperation,
  { entries, ...body }: Parts,
  kind: HostileRequest['kind'],
): HostileRequest => {
  const entriesIn = (place: Place) =>
    entries.flatMap(([own, name, value]) => (own === place ? [[name, value] as const] : []))
  const values = new Map(entriesIn('path'))
  const target = path.replace(/\{(\w+)\}/g, (_braces, name: string) => encode(values.get(name) ?? ''))
  const query = entriesIn('query').map((entry) => entry.map(encode).join('='))
  const search = query.length === 0 ? '' : `?${query.join('&')}`
  return { method, target: target + search, headers: entriesIn('header'), kind, ...body }
}

const validParts = ({ parameters, body }: ContractOperation, authorization: string): fc.Arbitrary<Parts> => {
  const given = parameters.map((parameter) => {
    const entry = sentParameter(parameter).map((text): Entry[] => [[parameter.in, parameter.name, text]])
    return parameter.required ? entry : fc.oneof(entry, fc.constant([]))
  })
  const own: Entry[] = [['header', 'Authorization', authorization]]
  if (body !== undefined) own.push(['header', 'Content-Type', 'application/json'])
  const entries = fc.tuple(...given).map((all) => [...own, ...all.flat()])
  if (body === undefined) return fc.record({ entries })
  return fc.record({ entries, body: validValue(readSchema(body.schema)).chain(spellings) })
}

const sentParameter = (parameter: ContractParameter): fc.Arbitrary<string> =>
  validParameter(readSchema(parameter.schema)).filter((text) => canBeSent(parameter, text))

/** A path of an empty segment is another path, and HTTP carries neither controls nor outer space in a header. */
const canBeSent = (parameter: ContractParameter, text: string): boolean =>
  (parameter.in !== 'path' || text !== '') &&
  (parameter.in !== 'header' || /^(?! )[ -~\u0080-\u00ff]*(?<! )$/.test(text))

type Change = (parts: Parts) => Parts

const add = (...added: readonly Entry[]): Change => {
  return (parts) => ({ ...parts, entries: [...parts.entries, ...added] })
}

/** Sends these values under a name, and no others. */
const send = (place: Place, name: string, values: readonly string[]): Change => {
  const addValues = add(...values.map((value): Entry => [place, name, value]))
  return (parts) =>
    addValues({ ...parts, entries: parts.entries.filter(([where, own]) => where !== place || own !== name) })
}

const brokenChanges = ({ parameters, body }: ContractOperation, authorization: string): fc.Arbitrary<Change>[] => [
  ...parameters.map((parameter) => brokenParameterChange(parameter)),
  unknownQuery,
  fc.constantFrom(...brokenAuthorizations(authorization)).map((values) => send('header', 'Authorization', values)),
  ...(body === undefined
    ? []
    : [brokenBody(body.schema), fc.constantFrom(...brokenTypes).map((types) => send('header', 'Content-Type', types))]),
]

const brokenParameterChange = (parameter: ContractParameter): fc.Arbitrary<Change> => {
  const schema = readSchema(parameter.schema)
  const broken = brokenParameter(schema)
    .map((text) => (parameter.in === 'header' ? text : text.toWellFormed()))
    .filter((text) => canBeSent(parameter, text) && !isValidParameter(schema, text))
    .map((text) => [text])
  const twice = fc.tuple(sentParameter(parameter), sentParameter(parameter))
  const values = parameter.in === 'path' ? broken : fc.oneof(broken, twice)
  return values.map((texts) => send(parameter.in, parameter.name, texts))
}

const unknownQuery = fc
  .tuple(fc.constantFrom('page', 'Limit', '__proto__', 'constructor', 'a\r\nb', '\u{1f415}'), fc.string())
  .map(([name, value]) => add(['query', name, value]))

/** None, two, and a key with another checksum. */
const brokenAuthorizations = (key: string): readonly (readonly string[])[] => [
  [],
  [key, key],
  [key.replace(/\w$/, (last) => (last === 'a' ? 'b' : 'a'))],
]

const brokenTypes = [[], ['text/plain'], ['application/json', 'text/plain']]

const brokenBody = (schema: JsonSchema): fc.Arbitrary<Change> =>
  fc
    .oneof(
      { weight: 3, arbitrary: brokenValue(readSchema(schema)).chain(spellings) },
      { weight: 1, arbitrary: fc.constantFrom('', ' ', '{', '\ufeff{}') },
    )
    .map((text) => (parts) => ({ ...parts, body: text }))
