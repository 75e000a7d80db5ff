import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWorkbench } from '../../bench/workbench.ts'
import { readGatewayEvent } from '../../events/events.ts'
import { chooseBySize } from '../../fixtures/machine/size.ts'

/** The longest body that an operation reads. */
const longestReadBytes = 16_384

/** About the longest body that Lambda accepts. */
const longestSentBytes = 5_800_000

/** Bodies that take much time to read. `create` makes one of almost `length` bytes. */
const expensiveBodies = [
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

/** Every fourth body in `npm test`. */
const testedBodies = expensiveBodies.filter((_body, index) => index % chooseBySize(4, 1) === 0)

describe('The processor time of a request', () => {
  let workbench: Awaited<ReturnType<typeof openWorkbench>>
  /** Processor time of a valid request to create a pet, in milliseconds. */
  let validTime: number

  /** Measures one request, in milliseconds. Each bundle runs in a process of its own, as on Lambda. */
  const measureProcessorTime = async (operation: string, status: number, body?: string): Promise<number> => {
    const event = readGatewayEvent(operation, body === undefined ? {} : { body })
    const measured = await workbench.measure({ operation, event, status, warmUp: 20, requests: 10 })
    return measured.processor
  }

  beforeAll(async () => {
    workbench = await openWorkbench()
    validTime = await measureProcessorTime('create-pet', 201)
  })

  afterAll(() => workbench?.[Symbol.asyncDispose]())

  // V8 calls a reviver for each of 8,000 numbers: that of middy's parser, and that of `readExactIntegers`.
  it.each(testedBodies)(
    'an invalid body of $kind takes at most fifteen times the processor time of a valid one',
    async ({ create }) => {
      const time = await measureProcessorTime('create-pet', 400, create(longestReadBytes))

      expect(time).toBeLessThanOrEqual(15 * validTime)
    },
  )

  it.each(testedBodies)(
    'a too long body of $kind takes at most five times the processor time of a valid one',
    async ({ create }) => {
      const time = await measureProcessorTime('create-pet', 413, create(longestSentBytes))

      expect(time).toBeLessThanOrEqual(5 * validTime)
    },
  )

  it('a body that an operation does not read adds at most five times the processor time of a valid one', async () => {
    const timeWithBody = await measureProcessorTime('get-pet', 200, ' '.repeat(longestSentBytes))
    const timeWithoutBody = await measureProcessorTime('get-pet', 200)

    expect(timeWithBody - timeWithoutBody).toBeLessThanOrEqual(5 * validTime)
  })
})
