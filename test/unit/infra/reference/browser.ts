import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type BrowserContext, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'
import { test as base, inject } from 'vitest'
import { shouldSkipWithout } from '../../../fixtures/size.ts'

/** The browser that CHROMIUM_PATH names, or else the system's. */
const { CHROMIUM_PATH, PATH = '' } = process.env
const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const places = PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)))
const executablePath = CHROMIUM_PATH ?? places.find((place) => existsSync(place))
const isSkipped = shouldSkipWithout(
  executablePath !== undefined,
  'No page is tested: there is no Chromium. CHROMIUM_PATH may name one.',
)

interface Visit extends BrowserContextOptions {
  readonly url?: string
  /** Is done with the page before it is loaded. */
  readonly before?: (page: Page) => Promise<unknown>
}

/**
 * Tests in the browser, with the `page` of the reference, or a function to `open` it otherwise, each time in a context of its
 * own. An error, a warning or a request to another host fails a test.
 */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from it what the fixture needs.
  .extend('browser', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const browser = await chromium.launch(executablePath === undefined ? {} : { executablePath })
    onCleanup(() => browser.close())
    return browser
  })
  .extend('open', async ({ browser }, { onCleanup }) => {
    const contexts: BrowserContext[] = []
    const problems: string[] = []
    onCleanup(async () => {
      for (const context of contexts) await context.close()
      if (problems.length > 0) throw new Error(problems.join('\n'))
    })
    return async ({ url = inject('reference').url, before, ...options }: Visit = {}): Promise<Page> => {
      const context = await browser.newContext(options)
      contexts.push(context)
      const page = await context.newPage()
      const hosts = [url, inject('reference').apiUrl].map((known) => new URL(known).host)
      page.on('request', (request) => {
        if (!hosts.includes(new URL(request.url()).host)) problems.push(`A request to ${request.url()}`)
      })
      page.on('pageerror', (error) => problems.push(error.message))
      page.on('console', (message) => {
        // A response with an error is the service's; the browser reports it here.
        const isProblem = /error|warning/.test(message.type()) && !message.text().startsWith('Failed to load resource')
        if (isProblem) problems.push(message.text())
      })
      await before?.(page)
      await page.goto(url)
      return page
    }
  })
  .extend('page', ({ open }) => open())
  .skipIf(isSkipped)

/** Presses Send, and gives the response once it has the status, or says a sentence. */
export const send = async (operation: Locator, said: number | string): Promise<Locator> => {
  await operation.getByRole('button', { name: /^Send/ }).click()
  const text = typeof said === 'number' ? new RegExp(`^${said} `) : said
  await operation.getByRole('status').filter({ hasText: text }).waitFor()
  return operation.locator('.result')
}

/** The text of a part of a response: `headers`, `body` or `curl`. */
export const shown = (result: Locator, part: string): Promise<string> =>
  result.locator(`[data-part="${part}"]`).innerText()

export const useDemoKey = (page: Page, plan = 'pro'): Promise<void> =>
  page.getByRole('button', { name: `Use the demo key of the ${plan} plan` }).click()
