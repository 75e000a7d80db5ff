import { availableParallelism } from 'node:os'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createFunctionHost, type FunctionHost } from '../../../../../infra/local/lambda/function-host.ts'
import type { LambdaFunction } from '../../../../../infra/local/template/environment-template.ts'
import { bundle, temporaryFolder } from '../fixtures.ts'

const folder = temporaryFolder()
let made = 0
let host: FunctionHost | undefined
afterEach(async () => {
  vi.unstubAllEnvs()
  await host?.close()
})

/** Hosts one function. */
const hosted = (code: string, change: Partial<LambdaFunction> = {}) => {
  made += 1
  const name = `function-${made}`
  const lines: string[] = []
  const functions = new Map([[name, bundle(folder, name, code, change)]])
  const writeLine = (from: string, line: string): void => void lines.push(`${from}: ${line}`)
  const created = createFunctionHost({ functions, databaseEndpoint: 'http://127.0.0.1:1', writeLine })
  host = created
  return { invoke: (event: object = {}) => created.invoke(name, JSON.stringify(event)), lines, name }
}

const payloadOf = (outcome: Awaited<ReturnType<FunctionHost['invoke']>>): unknown =>
  outcome.kind === 'result' ? JSON.parse(outcome.payload) : outcome

describe('A function', () => {
  test('gets its event and a Lambda context, and gives its result as JSON', async () => {
    const { invoke, name } = hosted(`exports.handler = async (event, context) => ({
      event, id: context.awsRequestId, name: context.functionName, memory: context.memoryLimitInMB,
      arn: context.invokedFunctionArn, remaining: context.getRemainingTimeInMillis(), dropped: undefined,
    })`)
    expect(payloadOf(await invoke({ a: [1] }))).toEqual({
      event: { a: [1] },
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name,
      memory: '128',
      arn: `arn:aws:lambda:us-east-1:000000000000:function:${name}`,
      remaining: expect.toSatisfy((value: number) => value > 2_000 && value <= 3_000),
    })
  })

  test('has the environment of its template and of the runtime, and nothing of this process', async () => {
    vi.stubEnv('AWS_PROFILE', 'the profile of this machine')
    const { invoke, name } = hosted('exports.handler = async () => process.env', {
      environment: { PETS_TABLE: 'pets' },
    })
    const environment = payloadOf(await invoke())
    expect(environment).toMatchObject({
      PETS_TABLE: 'pets',
      AWS_LAMBDA_FUNCTION_NAME: name,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '128',
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
    })
    const own = /^(PETS_TABLE|_HANDLER|TZ|LAMBDA_TASK_ROOT|AWS_(?!PROFILE).*)$/
    expect(Object.keys(Object(environment)).filter((variable) => !own.test(variable))).toEqual([])
  })

  test('keeps its module from one invocation to the next', async () => {
    const { invoke } = hosted('let count = 0; exports.handler = async () => ++count')
    expect([payloadOf(await invoke()), payloadOf(await invoke())]).toEqual([1, 2])
  })

  test('runs several instances at once, each with one invocation at a time, and queues the rest', async () => {
    const { invoke } = hosted(`let running = 0
      exports.handler = async () => {
        running += 1
        const together = running
        await new Promise((resolve) => setTimeout(resolve, 100))
        running -= 1
        return { together, thread: require('node:worker_threads').threadId }
      }`)
    // As many instances as there are processors, and two at least.
    const most = Math.max(2, availableParallelism())
    const results = await Promise.all(Array.from({ length: 3 * most }, async () => payloadOf(await invoke())))
    const threads = new Set(results.map((value) => Object(value).thread))
    expect(new Set(results.map((value) => Object(value).together))).toEqual(new Set([1]))
    expect(threads.size).toBeGreaterThan(1)
    expect(threads.size).toBeLessThanOrEqual(most)
  })

  test('that throws gives a function error, and stays', async () => {
    const { invoke } = hosted(`let count = 0
      exports.handler = async () => { count += 1; if (count === 1) throw new TypeError('wrong'); return count }`)
    expect(await invoke()).toMatchObject({ kind: 'error', errorType: 'TypeError', errorMessage: 'wrong' })
    expect(payloadOf(await invoke())).toBe(2)
  })

  test.each([
    ['never settles', 'new Promise(() => {})'],
    ['loops without end', '(() => { for (;;); })()'],
  ])('that %s is ended at its timeout, and another instance takes the next invocation', async (_name, hang) => {
    const code = `exports.handler = async (event) => event.hang ? ${hang} : 'fine'`
    const { invoke } = hosted(code, { timeoutMilliseconds: 300 })
    expect(await invoke({ hang: true })).toMatchObject({
      kind: 'error',
      errorMessage: 'Task timed out after 0.30 seconds',
    })
    expect(payloadOf(await invoke())).toBe('fine')
  })

  test.each([
    ['exits', 'process.exit(3)', 'Runtime.ExitError'],
    [
      'throws where nothing catches it',
      "setTimeout(() => { throw new RangeError('late') }); await new Promise(() => {})",
      'RangeError',
    ],
    ['takes more memory than it has', 'const all = []; for (;;) all.push(new Array(1e6).fill({}))', 'Error'],
  ])(
    'that %s gives a function error, and another instance takes the next invocation',
    async (_name, end, errorType) => {
      const code = `exports.handler = async (event) => { if (event.end) { ${end} } return 'fine' }`
      // Long enough for the memory to run out on a busy machine.
      const { invoke } = hosted(code, { timeoutMilliseconds: 20_000, memoryMegabytes: 64 })
      expect(await invoke({ end: true })).toMatchObject({ kind: 'error', errorType })
      expect(payloadOf(await invoke())).toBe('fine')
    },
  )

  test.each([
    ['does not load', "throw new SyntaxError('no module')", 'no module'],
    ['has no handler', 'exports.other = 1', 'index.handler is undefined or not exported'],
  ])('that %s gives a function error that says so', async (_name, code, errorMessage) => {
    const { invoke } = hosted(code)
    expect(await invoke()).toMatchObject({ kind: 'error', errorMessage })
    expect(await invoke()).toMatchObject({ kind: 'error', errorMessage })
  })

  test('whose result is larger than Lambda takes gives a function error', async () => {
    const { invoke } = hosted("exports.handler = async () => 'x'.repeat(7e6)")
    expect(await invoke()).toMatchObject({ kind: 'error', errorType: 'Function.ResponseSizeTooLarge' })
  })

  test('writes its lines under its name', async () => {
    const { invoke, lines, name } = hosted(
      "exports.handler = async () => { console.log('one\\ntwo'); console.error('three') }",
    )
    await invoke()
    await expect.poll(() => lines.toSorted()).toEqual([`${name}: one`, `${name}: three`, `${name}: two`])
  })
})

test('A retired host completes its invocations, then ends its instances', async () => {
  const { invoke } = hosted(`exports.handler = async (event) => {
    await new Promise((resolve) => setTimeout(resolve, event.wait)); return require('node:worker_threads').threadId }`)
  const before = payloadOf(await invoke({ wait: 0 }))
  const running = invoke({ wait: 200 })
  host?.retire()
  expect(payloadOf(await running)).toBe(before)
  expect(payloadOf(await invoke({ wait: 0 }))).not.toBe(before)
})
