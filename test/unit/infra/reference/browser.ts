import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject } from 'vitest'

const endpoint = inject('browserEndpoint')

/** Tests that need the browser. */
export const describeInBrowser = describe.skipIf(endpoint === null)

interface Visit extends BrowserContextOptions {
  readonly url?: string
  /** Is done with the page before it is loaded. */
  readonly before?: (page: Page) => Promise<unknown>
}

/**
 * Connects a file to the browser. The page is loaded anew for each test, in one context, or in one of its own where a visit is
 * described. An error, a warning or a request to another host fails the test.
 */
export const useBrowser = () => {
  let browser: Browser | undefined
  let common: Page | undefined
  const own: Page[] = []
  const problems: string[] = []
  beforeAll(async () => {
    if (endpoint !== null) browser = await chromium.connect(endpoint)
  })
  afterEach(async () => {
    for (const page of own.splice(0)) await page.context().close()
    expect(problems.splice(0)).toEqual([])
  })
  afterAll(() => browser?.close())

  const newPage = async (url: string, options: BrowserContextOptions): Promise<Page> => {
    const page = await (await browser?.newContext(options))?.newPage()
    if (page === undefined) throw new Error('There is no browser.')
    const hosts = new Set([new URL(url).host, new URL(inject('apiUrl')).host])
    page.on('request', (request) => {
      if (!hosts.has(new URL(request.url()).host)) problems.push(`A request to ${request.url()}`)
    })
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('console', (message) => {
      // A response with an error is the service's; the browser reports it here.
      const isProblem = message.type() === 'error' || message.type() === 'warning'
      if (isProblem && !message.text().startsWith('Failed to load resource')) problems.push(message.text())
    })
    return page
  }

  return async (visit?: Visit): Promise<Page> => {
    const { url = inject('referenceUrl'), before, ...options } = visit ?? {}
    if (visit === undefined) common ??= await newPage(url, options)
    const page = visit === undefined && common !== undefined ? common : await newPage(url, options)
    if (page !== common) own.push(page)
    await before?.(page)
    await page.goto(url)
    return page
  }
}

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
