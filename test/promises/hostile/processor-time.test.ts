import { expect, test } from 'vitest'
import { openWorkbench } from '../../bench/workbench.ts'
import { readGatewayEvent } from '../../events/events.ts'
import { chooseBySize } from '../../fixtures/size.ts'

/** In bytes: the longest body that is read, and about the longest that Lambda takes. */
const lengths = { read: 16_384, sent: 5_800_000 }

/** Bodies of almost a length that take much time to read. The last one has as many values as are read. */
const expensive: Readonly<Record<string, (length: number) => string>> = {
  'many numbers': (length) => `{"name":[0${',1'.repeat(length / 2 - 20)}],"categoryId":1}`,
  'deep arrays': (length) => '['.repeat(length / 2) + ']'.repeat(length / 2),
  'a name of escapes': (length) => `{"name":"${'\\u0041'.repeat(length / 6 - 5)}"}`,
  'a number of many digits': (length) => `{"name":"a","categoryId":${'9'.repeat(length - 30)}}`,
  'long members': (length) => {
    return `{${Array.from({ length: 95 }, (_, index) => `"${index}${'\\n'.repeat(length / 210)}":1`)}}`
  },
}
const tried = Object.entries(expensive).filter((_body, index) => index % chooseBySize(4, 1) === 0)

test('A create that is refused takes at most five times the processor time of a valid one; a body adds no more to an operation that takes none', async () => {
  await using workbench = await openWorkbench()
  /** Of one request. Each bundle runs in a process of its own, as on Lambda. */
  const processorTime = async (operation: string, status: number, body?: string): Promise<number> => {
    const event = readGatewayEvent(operation, body === undefined ? {} : { body })
    return (await workbench.measure({ operation, event, status, warmUp: 20, requests: 10 })).processor
  }
  const most = 5 * (await processorTime('create-pet', 201))
  for (const [what, bodyOf] of tried) {
    expect(await processorTime('create-pet', 400, bodyOf(lengths.read)), what).toBeLessThanOrEqual(most)
    expect(await processorTime('create-pet', 413, bodyOf(lengths.sent)), what).toBeLessThanOrEqual(most)
  }
  const added = (await processorTime('get-pet', 200, ' '.repeat(lengths.sent))) - (await processorTime('get-pet', 200))
  expect(added).toBeLessThanOrEqual(most)
})
