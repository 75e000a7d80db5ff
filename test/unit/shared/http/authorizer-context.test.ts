import { expect, it } from 'vitest'
import { type AuthorizerContext, findInvalidValue } from '../../../../shared/http/authorizer-context.ts'
import { readGatewayEvent } from '../../../events/events.ts'

// The contexts that the authorizer creates are tested in test/unit/functions/authorizer/create-context.test.ts.

/** Values that are invalid under each name. */
const alwaysInvalid = [undefined, '', null, 7, {}, ['none'], 'a\n', '\na']

/** Invalid values under each name of a context but `plan`, which no function reads. */
const invalidValues: Readonly<Record<Exclude<keyof AuthorizerContext, 'plan'>, readonly unknown[]>> = {
  keyId: alwaysInvalid,
  idempotencyScope: alwaysInvalid,
  scope: [...alwaysInvalid, 'write', 'READ-WRITE', 'read-write ', ' read', 'read,read-write', 'none'],
  rateLimitLimit: [...alwaysInvalid, '-1', '1.5'],
  rateLimitRemaining: [...alwaysInvalid, '-1', '1.5'],
  rateLimitReset: [...alwaysInvalid, '-1', '1.5'],
  rateLimitPolicy: alwaysInvalid,
  rateLimitWindows: alwaysInvalid,
  retryAfter: [...alwaysInvalid, 'soon', '17 s'],
  errorCode: [...alwaysInvalid, 'None', 'unauthorized', 'internal_error', 'none ', ' none'],
  errorMessage: alwaysInvalid,
}

it.each(Object.entries(invalidValues))('a context is invalid without a valid %s', (name, values) => {
  const { authorizer: validContext } = readGatewayEvent('get-pet').requestContext

  for (const value of values) {
    expect({ value, invalid: findInvalidValue({ ...validContext, [name]: value }) }).toEqual({ value, invalid: name })
  }
})

it.each([
  { value: undefined },
  { value: null },
  { value: 'text' },
  { value: 7 },
  { value: true },
  { value: [] },
  { value: {} },
])('the value $value is no context', ({ value }) => {
  // The first value of a context, which is missing.
  expect(findInvalidValue(value)).toBe('keyId')
})
