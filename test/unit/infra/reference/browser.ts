import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject } from 'vitest'

const endpoint = inject('browserEndpoint')

/** Tests that need the browser. */
export const describeInBrowser = describe.skipIf(endpoint === null)

let browser: Browser | undefined
const opened: { readonly page: Page; readonly problems: string[] }[] = []

/** Connects a file to the browser, and holds each of its pages to the rules for all of them. */
export const useBrowser = (): void => {
  beforeAll(async () => {
    if (endpoint !== null) browser = await chromium.connect(endpoint)
  })
  afterEach(async () => {
    const problems = opened.flatMap((one) => one.problems)
    await Promise.all(opened.splice(0).map(({ page }) => page.context().close()))
    expect(problems).toEqual([])
  })
  afterAll(() => browser?.close())
}

interface Visit extends BrowserContextOptions {
  readonly url?: string
}

/** Opens the reference until its operations are shown. A request to another host than its own and the API's fails the test. */
export const openReference = async ({ url = inject('referenceUrl'), ...options }: Visit = {}): Promise<Page> => {
  const { page, problems } = await newPage(options)
  const hosts = new Set([new URL(url).host, new URL(inject('apiUrl')).host])
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url())
    if (protocol !== 'data:' && protocol !== 'blob:' && !hosts.has(host)) problems.push(`A request to ${host}`)
  })
  await page.goto(url)
  await page.locator('.opblock').first().waitFor()
  return page
}

/** A page whose errors and warnings fail the test. */
export const newPage = async (options: BrowserContextOptions = {}) => {
  if (browser === undefined) throw new Error('There is no browser.')
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const problems: string[] = []
  opened.push({ page, problems })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    // A response with an error is the service's; the browser reports it here.
    const isProblem = message.type() === 'error' || message.type() === 'warning'
    if (isProblem && !message.text().startsWith('Failed to load resource')) problems.push(message.text())
  })
  return { page, problems }
}

/** An operation, opened. */
export const openOperation = async (page: Page, tag: string, operationId: string): Promise<Locator> => {
  const operation = page.locator(`#operations-${tag}-${operationId}`)
  await operation.locator('.opblock-summary-control').click()
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

/** Sends the request, and gives what is shown of its answer once it has the status. */
export const execute = async (operation: Locator, status: number): Promise<Locator> => {
  await operation.getByRole('button', { name: 'Execute' }).click()
  const answer = operation.locator('.live-responses-table')
  await answer.locator('.response-col_status', { hasText: String(status) }).waitFor()
  return answer
}
