/** Bodies that take much time to read, for `npm run bench -- --only hostile`. */
import { readGatewayEvent } from '../events/events.ts'
import type { Workbench } from './workbench.ts'

/** The longest body that an operation reads. */
const longestReadBytes = 16_384

/** About the longest body that Lambda accepts. */
const longestSentBytes = 5_800_000

/** Each `create` makes a body of almost `length` bytes. */
const hostileBodies = [
  {
    kind: 'many numbers',
    create: (length: number) => `{"name":[0${',1'.repeat(length / 2 - 20)}],"categoryId":1}`,
  },
  {
    kind: 'deep arrays',
    create: (length: number) => '['.repeat(length / 2) + ']'.repeat(length / 2),
  },
  {
    kind: 'a name of escapes',
    create: (length: number) => `{"name":"${'\\u0041'.repeat(length / 6 - 5)}"}`,
  },
  {
    kind: 'a number of many digits',
    create: (length: number) => `{"name":"a","categoryId":${'9'.repeat(length - 30)}}`,
  },
  {
    kind: 'long members',
    create: (length: number) => {
      const members = Array.from({ length: 95 }, (_, index) => `"${index}${'\\n'.repeat(length / 210)}":1`)
      return `{${members.join(',')}}`
    },
  },
]

/** The probe holds a copy of the event for each request, so it sends few of the longest ones. */
const requestCounts = (body = '') =>
  body.length > longestReadBytes ? { warmUp: 20, requests: 10 } : { warmUp: 500, requests: 100 }

/**
 * Measures what a hostile body costs: V8 calls a reviver for each of 8,000 numbers. A body that is too long is refused
 * before anything reads it.
 *
 * @returns lines with multiples of the processor time of a valid creation
 */
export const measureHostileBodies = async (workbench: Workbench): Promise<readonly string[]> => {
  const measure = async (operation: string, status: number, body?: string): Promise<number> => {
    const event = readGatewayEvent(operation, body === undefined ? {} : { body })
    const { processor } = await workbench.measure({ operation, event, status, ...requestCounts(body) })
    return processor
  }

  const valid = await measure('create-pet', 201)
  const lines: string[] = []
  const addLine = (title: string, milliseconds: number): void => {
    lines.push(`${title}: ${(milliseconds / valid).toFixed(1)} times the processor time of a valid creation`)
  }
  for (const { kind, create } of hostileBodies) {
    addLine(`hostile, invalid, ${kind}`, await measure('create-pet', 400, create(longestReadBytes)))
    addLine(`hostile, too long, ${kind}`, await measure('create-pet', 413, create(longestSentBytes)))
  }
  const withUnreadBody = await measure('get-pet', 200, ' '.repeat(longestSentBytes))
  addLine('hostile, a body that getPet does not read', withUnreadBody - (await measure('get-pet', 200)))
  return lines
}
