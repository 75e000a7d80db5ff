import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { deriveDemoKeys } from '../../../../infra/local/demo-keys.ts'
import { startNode } from '../../../fixtures/node-process.ts'
import { createTemporaryFolder } from '../../../fixtures/temporary-folder.ts'

const sourceUrl = new URL('../../../../functions/authorizer/authorizer.ts', import.meta.url)
const sourceLines = readFileSync(sourceUrl, 'utf8').split('\n')
/** Number of the line that reads the API key of a request, from 0 as in the inspector protocol. */
const breakpointLine = sourceLines.findIndex((line) => line.includes('readBearerToken(event'))

/** A message of the inspector protocol, from one thread. */
interface ThreadMessage {
  readonly sessionId: unknown
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** Connects to the inspector of a process, as a debugger does, and to each thread that the process starts. */
const connectDebugger = async (url: string) => {
  const socket = new WebSocket(url)
  await once(socket, 'open')
  onTestFinished(() => socket.close())

  const messages: ThreadMessage[] = []
  let lastId = 0
  const format = (method: string, params: object): string => {
    lastId += 1
    return JSON.stringify({ id: lastId, method, params })
  }
  const sendToThread = (sessionId: unknown, method: string, params: object = {}): void => {
    const message = format(method, params)
    socket.send(format('NodeWorker.sendMessageToWorker', { sessionId, message }))
  }
  socket.addEventListener('message', ({ data }) => {
    const { method, params = {} } = JSON.parse(data)
    const { sessionId } = params
    if (method === 'NodeWorker.attachedToWorker') sendToThread(sessionId, 'Debugger.enable')
    if (method === 'NodeWorker.receivedMessageFromWorker') messages.push({ sessionId, ...JSON.parse(params.message) })
  })
  socket.send(format('NodeWorker.enable', { waitForDebuggerOnStart: false }))
  return { messages, sendToThread }
}

const isBreakpoint = (entry: ReturnType<SourceMap['findEntry']>, sourceRoot: string): boolean =>
  'originalSource' in entry &&
  new URL(entry.originalSource, sourceRoot).href === sourceUrl.href &&
  entry.originalLine === breakpointLine

/** Finds the line of a bundle that was made of a line of the source. */
const findBundleLine = (bundleUrl: string, sourceMapUrl: string): number => {
  const bundle = fileURLToPath(bundleUrl)
  const payload = JSON.parse(readFileSync(join(dirname(bundle), sourceMapUrl), 'utf8'))
  const map = new SourceMap(payload)
  const lines = readFileSync(bundle, 'utf8').split('\n')
  return lines.findIndex((line, index) => {
    const entry = map.findEntry(index, line.search(/\S/))
    return isBreakpoint(entry, payload.sourceRoot)
  })
}

test('npm start -- --inspect stops at a breakpoint in a source file of a function', async () => {
  const dataFolder = join(createTemporaryFolder(), 'data')
  const start = ['infra/local/start.ts', '--port', '0', '--inspect', '0', '--data', dataFolder]
  const { child, ended, output, errors } = startNode(start)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await expect.poll(output).toContain('Press Ctrl-C to stop.')
  const [inspectorUrl = ''] = /ws:\S+/.exec(errors()) ?? []
  const [baseUrl] = /http:\S+\/v1/.exec(output()) ?? []
  const { messages, sendToThread } = await connectDebugger(inspectorUrl)
  const findMessage = (method: string, url = '') =>
    messages.find((message) => message.method === method && String(message.params?.['url'] ?? '').endsWith(url))
  const sendRequest = async () => {
    const headers = { Authorization: `Bearer ${deriveDemoKeys('pet_test_')[0]?.apiKey}` }
    return (await fetch(`${baseUrl}/pets`, { headers })).status
  }

  // The first request loads the bundle.
  expect(await sendRequest()).toBe(200)
  await expect.poll(() => findMessage('Debugger.scriptParsed', '/authorizer/index.js')).toBeDefined()
  const { sessionId, params = {} } = findMessage('Debugger.scriptParsed', '/authorizer/index.js') ?? {}
  const bundleUrl = String(params['url'])
  const lineNumber = findBundleLine(bundleUrl, String(params['sourceMapURL']))
  sendToThread(sessionId, 'Debugger.setBreakpointByUrl', { url: bundleUrl, lineNumber })

  const response = sendRequest()
  await expect.poll(() => findMessage('Debugger.paused')).toBeDefined()
  const location = { location: expect.objectContaining({ lineNumber }) }
  expect(findMessage('Debugger.paused')?.params).toMatchObject({
    callFrames: expect.arrayContaining([expect.objectContaining(location)]),
  })
  sendToThread(sessionId, 'Debugger.resume')

  expect(await response).toBe(200)
})
