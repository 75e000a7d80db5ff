import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type BrowserContext, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'
import { test as base, inject } from 'vitest'
import type { Plan } from '../../../../shared/api-keys/plans.ts'
import { shouldSkipWithout } from '../../../fixtures/machine/size.ts'

/** Part of a panel's result, by its attribute `data-part`. */
type ResultPart = 'headers' | 'body' | 'curl'

const browserNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Finds the browser that CHROMIUM_PATH names, or else one on the PATH. */
const findBrowser = (): string | undefined => {
  const { CHROMIUM_PATH, PATH = '' } = process.env
  if (CHROMIUM_PATH !== undefined) return CHROMIUM_PATH
  const folders = PATH.split(delimiter)
  return folders.flatMap((folder) => browserNames.map((name) => join(folder, name))).find((path) => existsSync(path))
}

const viewport = { width: 1_280, height: 720 }

const executablePath = findBrowser()
const isSkipped = shouldSkipWithout(
  executablePath !== undefined,
  'No page is tested: there is no Chromium. CHROMIUM_PATH may name one.',
)

/**
 * Collects problems of a page: requests to another host than those of the page and the API, exceptions, and errors or
 * warnings on the console.
 */
const collectProblems = (page: Page, problems: string[]): void => {
  const apiHost = new URL(inject('reference').apiUrl).host
  page.on('request', (request) => {
    const { host } = new URL(request.url())
    const isExpected = host === apiHost || host === new URL(page.url()).host || request.isNavigationRequest()
    if (!isExpected) problems.push(`A request to ${request.url()}`)
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    // The browser reports error responses of the API, which are no problem of the page.
    const isErrorResponse = message.text().startsWith('Failed to load resource')
    if (/error|warning/.test(message.type()) && !isErrorResponse) problems.push(message.text())
  })
}

/** Undoes what a test has changed about the shared page. */
const resetPage = async (page: Page): Promise<void> => {
  page.removeAllListeners()
  await page.context().clearPermissions()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.emulateMedia({ media: null, colorScheme: null, forcedColors: null })
  await page.setViewportSize(viewport)
}

/**
 * Test in a browser, with two fixtures. `page` is the reference page: the tests of a worker share it, because a new one
 * takes most of their time, and each of them loads it again. `open` opens it with options, in a context of its own.
 * A problem that `collectProblems` finds fails the test.
 *
 * @example
 *
 *     test('the page has a title', async ({ page }) => {
 *       expect(await page.title()).toBe('Pet Adoption API reference')
 *     })
 */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixtures that a fixture needs from its pattern.
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
    return async (options: BrowserContextOptions): Promise<Page> => {
      const context = await browser.newContext(options)
      contexts.push(context)
      const page = await context.newPage()
      collectProblems(page, problems)
      await page.goto(inject('reference').url)
      return page
    }
  })
  .extend('sharedPage', { scope: 'worker' }, async ({ browser }) => browser.newPage({ viewport }))
  .extend('page', async ({ sharedPage }, { onCleanup }) => {
    const problems: string[] = []
    collectProblems(sharedPage, problems)
    onCleanup(async () => {
      await resetPage(sharedPage)
      if (problems.length > 0) throw new Error(problems.join('\n'))
    })
    await sharedPage.goto(inject('reference').url)
    return sharedPage
  })
  .skipIf(isSkipped)

/** Presses Send in a panel, and waits until the panel shows the status. @returns the result below the status */
export const sendForStatus = (operation: Locator, status: number): Promise<Locator> =>
  sendForText(operation, new RegExp(`^${status} `))

/** Presses Send in a panel, and waits until the panel says the text. @returns the result below the text */
export const sendForText = async (operation: Locator, text: string | RegExp): Promise<Locator> => {
  await operation.getByRole('button', { name: /^Send/ }).click()
  await operation.getByRole('status').filter({ hasText: text }).waitFor()
  return operation.locator('.result')
}

export const readPart = (result: Locator, part: ResultPart): Promise<string> =>
  result.locator(`[data-part="${part}"]`).innerText()

export const chooseDemoKey = (page: Page, plan: Plan): Promise<void> =>
  page.getByRole('button', { name: `Use the demo key of the ${plan} plan` }).click()
