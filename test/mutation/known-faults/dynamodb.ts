import type { KnownFault } from './known-fault.ts'

const retries = 'test/unit/shared/dynamodb/document-client.test.ts'
const json = 'test/unit/shared/exact-json.test.ts'
const http = 'test/unit/shared/http/response/response.test.ts'

/** Faults of calls to DynamoDB, and of integers on their way. */
export const dynamodb: readonly KnownFault[] = [
  {
    title: 'a request waits longer for retries than its caller does',
    file: 'shared/dynamodb/document-client.ts',
    find: '{ errorType: isRefusedForNow',
    replaceBy: '{ retryAfterHint: new Date(Date.now() + 5_000), errorType: isRefusedForNow',
    test: retries,
  },
  {
    title: 'a request fails while a rotation writes its key',
    file: 'shared/dynamodb/document-client.ts',
    find: 'isThrottled(error) || isInConflict(error)',
    replaceBy: 'isThrottled(error)',
    test: retries,
  },
  {
    title: 'a throttled call is a 500 that clients do not send again',
    file: 'shared/dynamodb/unavailable.ts',
    find: "'ThrottlingException',",
    replaceBy: '',
    test: http,
  },
  {
    title: 'a large categoryId is stored rounded',
    file: 'shared/exact-json.ts',
    find: 'return parseIntegerLiteral(context.source) ?? value',
    replaceBy: 'return Number.isInteger(value) ? BigInt(value) : value',
    test: json,
  },
  {
    title: 'a large categoryId is sent rounded',
    file: 'shared/exact-json.ts',
    find: 'Number.isSafeInteger(number) ? number : rawJson(value.toString())',
    replaceBy: 'number',
    test: json,
  },
  {
    title: 'a short number such as 1e999999999 keeps a processor busy',
    file: 'shared/exact-json.ts',
    find: 'if (digits.length + shift > maximumDigits) return undefined',
    replaceBy: 'if (digits.length + shift > 100_000_000) return undefined',
    test: json,
  },
  {
    title: 'a petId above the range of int64 is looked up',
    file: 'shared/int64.ts',
    find: 'return isInt64(value) ? value : undefined',
    replaceBy: 'return value',
    test: 'test/unit/shared/int64.test.ts',
  },
  {
    title: 'a large integer is read rounded from the table',
    file: 'shared/int64.ts',
    find: '!Number.isSafeInteger(value) ? BigInt(digits) : value',
    replaceBy: '!Number.isFinite(value) ? BigInt(digits) : value',
    test: 'test/unit/shared/int64.test.ts',
  },
  {
    title: 'one malformed pet makes its whole list unreadable',
    file: 'shared/dynamodb/item-reader.ts',
    find: "if (value === malformed) return { kind: 'malformed', name: nameItem(item), attribute, item }",
    replaceBy: 'if (value === malformed) throw new Error(nameItem(item))',
    test: 'test/unit/functions/malformed-pets.test.ts',
  },
  {
    title: 'a function starts without the table that its environment should name',
    file: 'shared/environment-variables.ts',
    find: "if (value === undefined || value === '') throw",
    replaceBy: "if (value === undefined) return ''; else if (value === '') throw",
    test: 'test/unit/shared/environment-variables.test.ts',
  },
]
