import { availableParallelism } from 'node:os'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createFunctionHost } from '../../../../../infra/local/lambda/function-host.ts'
import type { LambdaFunction } from '../../../../../infra/local/template/environment-template.ts'
import { writeFunctionBundle } from '../../../../fixtures/function-bundle.ts'

/** Hosts one function. */
const hosted = (code: string, change: Partial<LambdaFunction> = {}) => {
  const lines: string[] = []
  const functions = new Map([['hosted', writeFunctionBundle(code, change)]])
  const writeLine = (line: string) => void lines.push(line)
  const { close, invoke } = createFunctionHost({ functions, databaseEndpoint: 'http://127.0.0.1:1', writeLine })
  onTestFinished(close)
  const resultOf = async (event: object = {}): Promise<unknown> => {
    const outcome = await invoke('hosted', JSON.stringify(event))
    return outcome.kind === 'result' ? JSON.parse(outcome.payload) : outcome.message
  }
  return { invoke: resultOf, lines, close }
}

test('A function gets its event and a context, and gives its result as JSON', async () => {
  const { invoke } = hosted(`exports.handler = async (event, context) => ({
    event, id: context.awsRequestId, name: context.functionName, memory: context.memoryLimitInMB,
    remaining: context.getRemainingTimeInMillis(), dropped: undefined,
  })`)
  expect(await invoke({ a: [1] })).toEqual({
    ...{ event: { a: [1] }, id: expect.stringMatching(/^[0-9a-f-]{36}$/), name: 'hosted', memory: '128' },
    remaining: expect.toSatisfy((value: number) => value > 2_000 && value <= 3_000),
  })
})

test('A function has the environment of its template and of the runtime, and nothing of this process', async () => {
  vi.stubEnv('AWS_PROFILE', 'the profile of this machine')
  vi.stubEnv('TZ', 'America/Lima')
  const code = 'exports.handler = async () => ({ ...process.env, AWS_HOUR: new Date(0).getHours() })'
  const { invoke } = hosted(code, { environment: { PETS_TABLE: 'pets' } })
  const environment = await invoke()
  expect(environment).toMatchObject({
    ...{ PETS_TABLE: 'pets', AWS_LAMBDA_FUNCTION_NAME: 'hosted', AWS_REGION: 'us-east-1' },
    ...{ AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1', AWS_HOUR: 0 },
  })
  const own = /^(PETS_TABLE|TZ|AWS_(?!PROFILE).*)$/
  expect(Object.keys(Object(environment)).filter((variable) => !own.test(variable))).toEqual([])
})

test('Several instances run at once, each with one invocation at a time, and others wait', async () => {
  const { invoke } = hosted(`let running = 0
    exports.handler = async () => {
      const together = ++running
      await new Promise((resolve) => setTimeout(resolve, 100))
      running -= 1
      return { together, thread: require('node:worker_threads').threadId }
    }`)
  // As many instances as there are processors, and two at least.
  const most = Math.max(2, availableParallelism())
  const results = await Promise.all(Array.from({ length: 3 * most }, async () => Object(await invoke())))
  expect(new Set(results.map(({ together }) => together))).toEqual(new Set([1]))
  const threads = new Set(results.map(({ thread }) => thread)).size
  expect(threads).toBeGreaterThan(1)
  expect(threads).toBeLessThanOrEqual(most)
})

const failingOnce = "let calls = 0; exports.handler = async () => { if (++calls < 2) throw Error('!'); return calls }"
const noHandler = 'bundle.handler is undefined or not exported'
const lasting = { timeoutMilliseconds: 20_000 }

test.each<[what: string, code: string, results: readonly unknown[]]>([
  ['throws, and stays', failingOnce, ['!', 2]],
  ['does not load, and says so', "throw new SyntaxError('no module')", ['no module', 'no module']],
  ['has no handler', 'exports.other = 1', [noHandler, noHandler]],
])('A function, invoked twice, that %s', async (_what, code, results) => {
  const { invoke } = hosted(code)
  expect([await invoke(), await invoke()]).toEqual(results)
})

test.each<[what: string, end: string, message: RegExp, change?: Partial<LambdaFunction>]>([
  ['never settles', 'await new Promise(() => {})', /^Task timed out after 0\.30 seconds$/],
  ['loops without end', 'for (;;);', /^Task timed out after 0\.30 seconds$/],
  ['exits', 'process.exit(3)', /exit code 3/, lasting],
  ['throws late', "setTimeout(() => { throw Error('late') }); await new Promise(() => {})", /late/, lasting],
  // Long enough for the memory to run out on a busy machine.
  ['takes too much memory', 'const all = []; for (;;) all.push(new Array(1e6).fill({}))', /memory/, lasting],
])('An instance that %s is ended, and another takes the next invocation', async (_what, end, message, change) => {
  const code = `exports.handler = async (event) => { if (event.end) { ${end} } return 'fine' }`
  const { invoke } = hosted(code, { timeoutMilliseconds: 300, memoryMegabytes: 64, ...change })
  expect(await invoke({ end: true })).toMatch(message)
  expect(await invoke()).toBe('fine')
})

test('An instance writes its lines under its name, and is not used again when it has ended while it was idle', async () => {
  const code = `setTimeout(() => { console.log('one\\ntwo'); console.error('gone'); process.exit() }, 20)
    exports.handler = async () => 'fine'`
  const { invoke, lines } = hosted(code, lasting)
  await invoke()
  await expect.poll(() => lines.toSorted()).toEqual(['[hosted] gone', '[hosted] one', '[hosted] two'])
  // Until the host knows, its error is that of the instance. One that is used again never responds.
  await expect.poll(() => invoke(), { timeout: 10_000 }).toBe('fine')
})

test('A host that is closed completes its invocations, then ends its instances', async () => {
  const { invoke, close } = hosted(`exports.handler = async (event) => {
    await new Promise((resolve) => setTimeout(resolve, event.wait)); return require('node:worker_threads').threadId }`)
  const before = await invoke({ wait: 0 })
  const running = invoke({ wait: 200 })
  void close()
  expect(await running).toBe(before)
  expect(await invoke({ wait: 0 })).not.toBe(before)
})
