import { ServiceError } from '../../errors/service-error.ts'
import { parseExactJson } from '../../exact-json.ts'
import type { BodyMiddleware } from './limit-body.ts'

/**
 * Middleware that follows httpJsonBodyParser, and makes the integers of the parsed body exact: middy gives its reviver
 * no source text. So it parses the text again, of which the parser has refused invalid JSON and keys such as
 * `__proto__`.
 */
export const readExactIntegers = (): BodyMiddleware => ({
  before: ({ event, internal: { bodyText = 'null' } }) => {
    // `readInput` reads the parsed value from `event.body`, though the type of an event allows only text there.
    event.body = parseExactBody(bodyText) as string
  },
})

/** @throws ServiceError for arrays so deep that V8 parses them with a shorter stack only */
const parseExactBody = (text: string): unknown => {
  try {
    return parseExactJson(text)
  } catch {
    throw new ServiceError('malformed_json')
  }
}
