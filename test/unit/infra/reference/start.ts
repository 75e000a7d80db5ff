import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { startLocalEnvironment } from '../../../../infra/local/environment.ts'
import { sharedAssembly } from '../../../fixtures/assembly.ts'
import { findLocalKeys } from '../../../fixtures/environment-process.ts'
import { skipsWithout } from '../../../fixtures/size.ts'
import { findChromium } from './find-chromium.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    readonly referenceUrl: string
    readonly apiUrl: string
    /** Keys that the page offers. */
    readonly demoKeys: readonly string[]
    /** A key that may make one request a day. */
    readonly usedUpKey: string
    /** Where the one browser of all files is reached; `null` where none is installed. */
    readonly browserEndpoint: string | null
  }
}

/** One environment and one browser for all files. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  await using resources = new AsyncDisposableStack()
  const executablePath = findChromium()
  skipsWithout(executablePath !== undefined, 'No page is tested: there is no Chromium. CHROMIUM_PATH may name one.')
  if (executablePath !== undefined) {
    const browser = await chromium.launchServer({ executablePath, args: quietArguments, host: '127.0.0.1' })
    resources.defer(() => browser.close())
    project.provide('browserEndpoint', browser.wsEndpoint())
  } else project.provide('browserEndpoint', null)

  const dataFolder = await mkdtemp(join(tmpdir(), 'pet-adoption-'))
  resources.defer(() => rm(dataFolder, { recursive: true, force: true }))
  const local = await startLocalEnvironment({ port: 0, dataFolder, assembly: sharedAssembly })
  resources.defer(() => local.stop())
  const keys = await findLocalKeys(dataFolder)
  const allowance = { perMinute: 100, perDay: 1 }
  const { apiKey } = await keys.issue({ owner: 'the tests of the reference', plan: 'enterprise', allowance })
  project.provide('referenceUrl', local.referenceUrl)
  project.provide('apiUrl', local.baseUrl)
  project.provide(
    'demoKeys',
    local.demoKeys.map((key) => key.apiKey),
  )
  project.provide('usedUpKey', apiKey)

  const running = resources.move()
  return () => running.disposeAsync()
}

/** Chromium by itself asks its maker for updates. */
const quietArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
