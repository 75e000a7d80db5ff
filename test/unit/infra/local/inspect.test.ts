import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deriveDemoKeys } from '../../../../infra/local/demo-keys.ts'
import { startEnvironmentProcess } from '../../../fixtures/environment/local-environment.ts'
import { createTemporaryFolder } from '../../../fixtures/machine/temporary-folder.ts'
import { attachDebugger, type Parameters, type ThreadEvent } from './thread-debugger.ts'

const sourceUrl = new URL('../../../../functions/get-pet/get-pet.ts', import.meta.url)
const sourceLines = readFileSync(sourceUrl, 'utf8').split('\n')
/** Number of the line after the pet was looked up, from 0 as in the protocol of debuggers. */
const breakpointLine = sourceLines.findIndex((line) => line.includes('pet === undefined'))

/** Finds the line of a bundle that was made of the line with the breakpoint. */
const findBundleLine = ({ url, sourceMapURL }: Parameters): number => {
  const [, encodedMap = ''] = String(sourceMapURL).split('base64,')
  const payload = JSON.parse(Buffer.from(encodedMap, 'base64').toString())
  const map = new SourceMap(payload)
  const bundleLines = readFileSync(fileURLToPath(String(url)), 'utf8').split('\n')
  return bundleLines.findIndex((line, index) => {
    const entry = map.findEntry(index, line.search(/\S/))
    return (
      'originalSource' in entry &&
      new URL(entry.originalSource, payload.sourceRoot).href === sourceUrl.href &&
      entry.originalLine === breakpointLine
    )
  })
}

describe('An environment that was started with --inspect', () => {
  let environment: Awaited<ReturnType<typeof startEnvironmentProcess>>
  let threads: Awaited<ReturnType<typeof attachDebugger>>

  beforeAll(async () => {
    const dataFolder = join(createTemporaryFolder(), 'data')
    environment = await startEnvironmentProcess({ dataFolder, words: ['--inspect', '0'] })
    const [, inspectorPort] = /ws:\/\/127\.0\.0\.1:(\d+)/.exec(environment.errors()) ?? []
    threads = await attachDebugger(Number(inspectorPort))
  })
  afterAll(async () => {
    threads?.close()
    await environment?.[Symbol.asyncDispose]()
  })

  test('a request stops at a breakpoint that VS Code has set in a source file of a function', async () => {
    const sendRequest = async () => {
      const headers = { Authorization: `Bearer ${deriveDemoKeys('pet_test_')[0]?.apiKey}` }
      return (await fetch(`${environment.baseUrl}/pets/1`, { headers })).status
    }
    const bundle = Promise.withResolvers<ThreadEvent>()
    const stop = Promise.withResolvers<ThreadEvent>()
    threads.on('Debugger.paused', stop.resolve)
    threads.on('Debugger.scriptParsed', (event) => {
      if (String(event.params['url']).endsWith('/get-pet/index.js')) bundle.resolve(event)
    })

    // The first request loads the bundle.
    expect(await sendRequest()).toBe(404)
    const { sessionId, params: script } = await bundle.promise
    const lineNumber = findBundleLine(script)
    await threads.send(sessionId, 'Debugger.setBreakpointByUrl', { url: script['url'], lineNumber })
    const response = sendRequest()

    const { params } = await stop.promise
    const [{ callFrameId, location }] = params['callFrames'] as [Parameters]
    expect(location).toMatchObject({ lineNumber })
    const variable = await threads.send(sessionId, 'Debugger.evaluateOnCallFrame', {
      callFrameId,
      expression: 'String(path.petId)',
    })
    expect(variable).toMatchObject({ result: { value: '1' } })

    await threads.send(sessionId, 'Debugger.resume')
    expect(await response).toBe(404)
  })

  test('an environment ends at SIGTERM while a debugger is attached', async () => {
    environment.child.kill('SIGTERM')

    expect(await environment.ended).toBe(0)
  })
})
