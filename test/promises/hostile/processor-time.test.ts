import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorkbench } from '../../bench/workbench.ts'
import { gatewayEvent } from '../../events/events.ts'
import { sized } from '../../fixtures/size.ts'

/** How many times the processor time of a valid create a request may take. */
const mostTimes = 5

/** In bytes: the longest body that is read, and about the longest that Lambda takes. */
const lengths = { read: 16_384, sent: 5_800_000 }

/** Between these, so many parts that the body has that length, or `most` of them. */
const filled =
  (before: string, part: (index: number) => string, after: string, most = Number.POSITIVE_INFINITY) =>
  (length: number): string => {
    let text = before
    for (let index = 0; index < most && text.length + after.length < length - 10_000 / most; index += 1) {
      text += part(index)
    }
    return (text + after).slice(0, length)
  }

/** Bodies that take much time to read; no operation accepts one. The last one has as many values as are read. */
const expensive: Readonly<Record<string, (length: number) => string>> = {
  'many numbers': filled('{"name":[0', () => ',1', '],"categoryId":1}'),
  'deep arrays': (length) => '['.repeat(length / 2) + ']'.repeat(length / 2),
  'a name of escapes': filled('{"name":"', () => '\\u0041', '"}'),
  'a number of many digits': filled('{"name":"a","categoryId":', () => '9', '}'),
  'long members': (length) =>
    filled('{"a":0', (index) => `,"${index}${'\\n'.repeat(length / 210)}":1`, '}', 95)(length),
}

let workbench: Awaited<ReturnType<typeof openWorkbench>>
let validCreate: number
beforeAll(async () => {
  workbench = await openWorkbench()
  validCreate = await processorTime('create-pet', 201)
})
afterAll(() => workbench[Symbol.asyncDispose]())

/** Of one request. Each bundle runs in a process of its own, as on Lambda. */
const processorTime = async (operation: string, status: number, body?: string): Promise<number> => {
  const event = gatewayEvent(operation, body === undefined ? {} : { body })
  return (await workbench.measure({ operation, event, status, warmUp: 20, requests: 10 })).processor
}

const tried = Object.entries(expensive).filter((_body, index) => index % sized(4, 1) === 0)

test.each(tried)(
  `A create that is refused takes at most ${mostTimes} times the processor time of a valid one: %s`,
  async (_what, bodyOf) => {
    expect(await processorTime('create-pet', 400, bodyOf(lengths.read))).toBeLessThanOrEqual(mostTimes * validCreate)
    expect(await processorTime('create-pet', 413, bodyOf(lengths.sent))).toBeLessThanOrEqual(mostTimes * validCreate)
  },
)

test('A body adds no more than that to an operation that takes none', async () => {
  const added = (await processorTime('get-pet', 200, ' '.repeat(lengths.sent))) - (await processorTime('get-pet', 200))
  expect(added).toBeLessThanOrEqual(mostTimes * validCreate)
})
