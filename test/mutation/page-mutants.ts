/**
 * Vitest's `setupFiles` of the mutation tests of the page. Stryker switches a mutant on in the process of the tests,
 * but the script of the page runs in Chromium. So each page gets the active mutant before its script runs, and reports
 * which mutants it reaches: Stryker then runs only the tests that reach a mutant.
 */
import { type BrowserContext, chromium } from 'playwright-core'

/** Numbers of times that mutants are reached, by their ids. */
type MutantCounts = Record<string, number>

declare global {
  /** Namespace through which code with mutants and Stryker's runner exchange what they know. */
  var __stryker__:
    | {
        readonly activeMutant?: string
        readonly currentTestId?: string
        mutantCoverage?: { readonly static: MutantCounts; readonly perTest: Record<string, MutantCounts> }
      }
    | undefined
}

/** Time in which a page does what a test waits for, unless a mutant prevents it. Playwright's default is 30 seconds. */
const pageMilliseconds = 5_000

/** Counts a mutant that a page has reached for the test that runs. */
const countMutant = (id: string): void => {
  const namespace = globalThis.__stryker__
  if (namespace?.currentTestId === undefined) return
  namespace.mutantCoverage ??= { static: {}, perTest: {} }
  const { perTest } = namespace.mutantCoverage
  const counts = perTest[namespace.currentTestId] ?? {}
  counts[id] = (counts[id] ?? 0) + 1
  perTest[namespace.currentTestId] = counts
}

/** Writes the script that runs first in each page. It reports a mutant when the page reaches it for the first time. */
const writeFirstScript = (): string => `{
  const counts = new Proxy({}, {
    set: (target, id, count) => {
      if (!(id in target)) reportMutant(id)
      target[id] = count
      return true
    },
  })
  globalThis.__stryker__ = {
    activeMutant: ${JSON.stringify(globalThis.__stryker__?.activeMutant)},
    mutantCoverage: { static: counts, perTest: {} },
  }
}`

const prepareContext = async (context: BrowserContext): Promise<void> => {
  context.setDefaultTimeout(pageMilliseconds)
  await context.exposeBinding('reportMutant', (_source, id: string) => countMutant(id))
  await context.addInitScript(writeFirstScript())
}

const launch = chromium.launch.bind(chromium)
chromium.launch = async (launchOptions) => {
  const browser = await launch(launchOptions)
  const newContext = browser.newContext.bind(browser)
  browser.newContext = async (contextOptions) => {
    const context = await newContext(contextOptions)
    await prepareContext(context)
    return context
  }
  return browser
}
