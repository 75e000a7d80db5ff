import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject } from 'vitest'

const endpoint = inject('browserEndpoint')

/** Tests that need the browser. */
export const describeInBrowser = describe.skipIf(endpoint === null)

interface Visit {
  readonly url?: string
  readonly options?: BrowserContextOptions
}

/** Connects a file to the browser, and fails a test in which one of its pages had a problem. */
export const useBrowser = () => {
  let browser: Browser | undefined
  /** Where pages without options are opened: the browser keeps there what it has loaded and compiled. */
  let context: BrowserContext | undefined
  let sharedPage: Promise<Page> | undefined
  const opened: Page[] = []
  const problems: string[] = []
  beforeAll(async () => {
    if (endpoint === null) return
    browser = await chromium.connect(endpoint)
    context = await browser.newContext()
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((page) => page.close()))
    expect(problems.splice(0)).toEqual([])
  })
  afterAll(() => browser?.close())

  /** A page whose errors and warnings fail the test. */
  const newPage = async (options?: BrowserContextOptions): Promise<Page> => {
    const page = await (options === undefined ? context : await browser?.newContext(options))?.newPage()
    if (page === undefined) throw new Error('There is no browser.')
    opened.push(page)
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('console', (message) => {
      // A response with an error is the service's; the browser reports it here.
      const isProblem = message.type() === 'error' || message.type() === 'warning'
      if (isProblem && !message.text().startsWith('Failed to load resource')) problems.push(message.text())
    })
    return page
  }

  /** Opens the reference until its operations are shown. A request to another host than its own and the API's fails the test. */
  const openReference = async ({ url = inject('referenceUrl'), options }: Visit = {}): Promise<Page> => {
    const page = await newPage(options)
    const hosts = new Set([new URL(url).host, new URL(inject('apiUrl')).host])
    page.on('request', (request) => {
      const { protocol, host } = new URL(request.url())
      if (protocol !== 'data:' && protocol !== 'blob:' && !hosts.has(host)) problems.push(`A request to ${host}`)
    })
    await page.goto(url)
    await page.locator('.opblock').first().waitFor()
    return page
  }

  /** The page that the tests of a file share, in their order: to load one takes most of a test's time. */
  const readReference = (): Promise<Page> => {
    sharedPage ??= openReference().then((page) => opened.splice(opened.indexOf(page), 1)[0] ?? page)
    return sharedPage
  }

  return { newPage, openReference, readReference }
}

/** An operation, opened if it is closed. */
export const openOperation = async (page: Page, tag: string, operationId: string): Promise<Locator> => {
  const operation = page.locator(`#operations-${tag}-${operationId}`)
  const summary = operation.locator('.opblock-summary-control')
  if ((await summary.getAttribute('aria-expanded')) !== 'true') await summary.click()
  await operation.locator('.opblock-description').waitFor()
  return operation
}

/** Enters a key as a reader does. */
export const authorize = async (page: Page, apiKey: string): Promise<void> => {
  await page.getByRole('button', { name: 'Authorize', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill(apiKey)
  await dialog.getByRole('button', { name: 'Authorize' }).click()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
}

/** Sends the request, and gives what is shown of its response once it has the status. */
export const execute = async (operation: Locator, status: number): Promise<Locator> => {
  await operation.getByRole('button', { name: 'Execute' }).click()
  const response = operation.locator('.live-responses-table')
  await response.locator('.response-col_status', { hasText: String(status) }).waitFor()
  return response
}
