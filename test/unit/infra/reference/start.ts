import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { openLocalEnvironment } from '../../../fixtures/local-environment.ts'
import { skipsWithout } from '../../../fixtures/size.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    readonly reference: {
      readonly url: string
      readonly apiUrl: string
      /** Keys that the page offers. */
      readonly demoKeys: readonly string[]
      /** A key that may make one request a day. */
      readonly usedUpKey: string
    }
    /** Where the one browser of all files is reached; `null` where none is installed. */
    readonly browserEndpoint: string | null
  }
}

/** One environment and one browser for all files. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const executablePath = findChromium()
  skipsWithout(executablePath !== undefined, 'No page is tested: there is no Chromium. CHROMIUM_PATH may name one.')
  const browser =
    executablePath === undefined
      ? null
      : await chromium.launchServer({ executablePath, args: quiet, host: '127.0.0.1' })
  const local = await openLocalEnvironment()
  const allowance = { perMinute: 100, perDay: 1 }
  const { apiKey } = await local.keys.issue({ owner: 'the tests of the reference', plan: 'enterprise', allowance })
  project.provide('browserEndpoint', browser?.wsEndpoint() ?? null)
  project.provide('reference', {
    url: local.referenceUrl,
    apiUrl: local.baseUrl,
    demoKeys: local.demoKeys.map((key) => key.apiKey),
    usedUpKey: apiKey,
  })
  return async () => {
    await Promise.all([browser?.close(), local.stop()])
  }
}

/** The browser that CHROMIUM_PATH names, or else the system's. */
const findChromium = (): string | undefined => {
  const { CHROMIUM_PATH, PATH = '' } = process.env
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const places = PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)))
  return CHROMIUM_PATH ?? places.find((place) => existsSync(place))
}

/** Chromium by itself asks its maker for updates. */
const quiet = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
]
