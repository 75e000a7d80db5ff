import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { readProvided } from '../../../../fixtures/machine/provided.ts'
import { chooseBySize } from '../../../../fixtures/machine/size.ts'
import { chooseDemoKey, sendForStatus, test } from '../../../../fixtures/reference/browser.ts'

interface Appearance {
  readonly name: string
  readonly width: number
  readonly colorScheme?: 'light' | 'dark'
  readonly forcedColors?: 'active'
}

/** Widths of the three layouts: the style sheet changes the layout at 640 and at 960 pixels. */
const phoneWidth = 320
const widths = [1_280, 768, phoneWidth]

/** Width of A4 paper between usual margins, in pixels of a style sheet. */
const paperWidth = 680

// `npm test` checks one appearance, `TEST_SIZE=full` checks all: Axe takes a second or more for each.
const checkedByAxe: readonly Appearance[] = chooseBySize(
  [{ name: 'a wide window', width: 1_280 }],
  [
    { name: 'a wide window', width: 1_280 },
    { name: 'a wide window of a dark system', width: 1_280, colorScheme: 'dark' },
    { name: 'a phone', width: phoneWidth },
    { name: 'a phone with forced colours', width: phoneWidth, forcedColors: 'active' },
  ],
)

const wcagTags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa']

/** Script that lists the elements that scroll sideways, because their content is wider than they are. */
const findSidewaysScrolling = `[...document.querySelectorAll('main *')]
  .filter((element) => element.scrollWidth > element.clientWidth)
  .filter((element) => /auto|scroll/.test(getComputedStyle(element).overflowX))
  .map((element) => element.outerHTML)`

/** Script that lists elements that begin or end beyond the sides of the window, except those for screen readers. */
const findCutOff = `[...document.querySelectorAll('body *:not(.unseen)')]
  .map((element) => ({ element, box: element.getBoundingClientRect() }))
  .filter(({ box }) => box.width > 0 && (box.left < 0 || box.right > innerWidth))
  .map(({ element }) => element.outerHTML)`

const readBackground = (page: Page): Promise<unknown> =>
  page.evaluate('getComputedStyle(document.documentElement).backgroundColor')

/** Shows everything that the page has: unfolded details, a response and an error. */
const showEverything = async (page: Page): Promise<void> => {
  await chooseDemoKey(page, 'Business')
  await page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true`)
  await sendForStatus(page.locator('#listPets'), 200)
  const panel = page.locator('#getPet')
  await panel.getByLabel('petId').fill('abc')
  await sendForStatus(panel, 404)
}

test('the page fits the window at each width, and the tables of a phone keep their rows and cells', async ({
  page,
}) => {
  await showEverything(page)

  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    expect(await page.evaluate(findCutOff), `${width} pixels`).toEqual([])
    expect(await page.evaluate(findSidewaysScrolling), `${width} pixels`).toEqual([])
  }
  // The window has the width of a phone now. There the cells of a row stand below each other, and a browser would no
  // longer take them for a table, if `page.ts` did not set their roles.
  const row = page.getByRole('table').getByRole('row').filter({ hasText: 'idempotency_key_reused' })
  expect(await row.getByRole('rowheader').innerText()).toBe('idempotency_key_reused')
  expect(await row.getByRole('cell').count()).toBe(3)
})

/** Text spacing of WCAG 1.4.12. It overrides every rule of the page. */
const textSpacing = `* {
  line-height: 1.5 !important;
  letter-spacing: 0.12em !important;
  word-spacing: 0.16em !important;
}`

/** Windows in which somebody has set the browser's text to a size of their own, in pixels. */
const largeTexts = [
  { text: 16, width: 320, height: 568 },
  { text: 24, width: 390, height: 844 },
  { text: 32, width: 320, height: 480 },
]

test.for(largeTexts)(
  'text of $text px in a window of $width px fits, also with the spacing of WCAG 1.4.12',
  async ({ text, ...viewport }, { open }) => {
    // A test's own styles, the spacing of WCAG 1.4.12, would break the policy of the page.
    const page = await open({ viewport, bypassCSP: true })
    const session = await page.context().newCDPSession(page)
    await session.send('Page.setFontSizes', { fontSizes: { standard: text, fixed: text } })

    for (const spacing of ['/* none */', textSpacing]) {
      await page.addStyleTag({ content: spacing })
      expect(await page.evaluate('document.documentElement.scrollWidth'), spacing).toBe(viewport.width)
      expect(await page.evaluate(findCutOff), spacing).toEqual([])
    }
  },
)

test('a selection of the whole page has no buttons, and its code is not translated', async ({ page }) => {
  await page.evaluate('getSelection().selectAllChildren(document.body)')

  // A button would add its name, such as `Copy the code`. Browsers differ in the blank before its part for screen
  // readers.
  expect(await page.evaluate('getSelection().toString()')).not.toMatch(/Copy ?the|Use ?the demo key/)
  expect(await page.evaluate(`[...document.querySelectorAll('code')].every(({ translate }) => !translate)`)).toBe(true)
})

test('the page meets WCAG 2.2 A and AA', async ({ page }) => {
  await showEverything(page)

  for (const { name, width, colorScheme = 'light', forcedColors = 'none' } of checkedByAxe) {
    await page.emulateMedia({ colorScheme, forcedColors })
    await page.setViewportSize({ width, height: 900 })
    // The page has no frames. Other modes of Axe open a second page for frames.
    const axe = new AxeBuilder({ page }).setLegacyMode()
    axe.options({ runOnly: wcagTags, resultTypes: ['violations'] })
    // Axe reads the colours of the page even if the system forces its own.
    if (forcedColors === 'active') axe.disableRules('color-contrast')

    const { violations, passes } = await axe.analyze()

    // Axe has checked the page, and not an empty one.
    expect(passes.length).toBeGreaterThan(10)
    const failures = violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
    expect(failures, name).toEqual([])
  }
})

test('the page is dark in a dark system, and is printed light, unfolded and without controls', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' })
  const lightBackground = await readBackground(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await readBackground(page)).not.toBe(lightBackground)

  await page.setViewportSize({ width: paperWidth, height: 900 })
  await page.emulateMedia({ colorScheme: 'dark', media: 'print' })

  expect(await readBackground(page)).toBe(lightBackground)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(paperWidth)
  expect(await page.evaluate(findCutOff)).toEqual([])
  expect(await page.locator('.panel:visible, nav:visible, button:visible').count()).toBe(0)
  expect(await page.locator('#getPet details[data-status="404"] pre').first().isVisible()).toBe(true)
  expect(await page.locator('#listPets .choice summary:visible').allInnerTexts()).toEqual([
    'curl',
    'TypeScript',
    'Python',
  ])
  expect(await page.locator('#listPets [data-language] pre:visible').count()).toBe(3)
})

/** Reads a property of each element as the browser computes it. */
const readStyles = (page: Page, selector: string, property: string): Promise<readonly string[]> =>
  page.evaluate(`[...document.querySelectorAll('${selector}')].map((element) => getComputedStyle(element).${property})`)

// Forced colours replace backgrounds, which else show the language of the unfolded code.
test('the language of the unfolded code differs from the others in forced colours', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' })

  const [unfolded, folded] = await readStyles(page, '#listPets .choice summary', 'backgroundColor')

  expect(unfolded).not.toBe(folded)
})

// Phones zoom in on a field with smaller text.
test('the text of fields has 16 pixels', async ({ page }) => {
  const sizes = await readStyles(page, 'input, select, textarea', 'fontSize')

  expect(new Set(sizes)).toEqual(new Set(['16px']))
})

const readFocused = (page: Page, property: string): Promise<unknown> =>
  page.evaluate(`document.activeElement.${property}`)

/**
 * Presses Tab until the focus is on an element whose property has the value. Each element on the way must show that it
 * has the focus.
 */
const tabTo = async (page: Page, property: string, value: string): Promise<void> => {
  for (let presses = 0; (await readFocused(page, property)) !== value; presses += 1) {
    if (presses > 30) throw new Error(`Nothing with the ${property} ${value} came into focus.`)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).not.toBe('none')
  }
}

test('a request can be sent, and a response unfolded, by keyboard alone', async ({ page }) => {
  await page.keyboard.press('Tab')
  expect(await readFocused(page, 'textContent')).toBe('Skip to the operations')
  await page.keyboard.press('Enter')
  await tabTo(page, 'id', 'api-key')
  await page.keyboard.type(readProvided('reference').demoKeys.business)
  await tabTo(page, 'name', 'limit')
  // The API refuses this limit, because the maximum is 100.
  await page.keyboard.type('1000')
  await tabTo(page, 'textContent', 'Send')
  await page.keyboard.press('Enter')
  await page.locator('#listPets output', { hasText: '400' }).waitFor()

  await tabTo(page, 'parentElement.dataset.status', '400')
  await page.keyboard.press('Enter')

  expect(await page.locator('#listPets details[data-status="400"]').getAttribute('open')).toBe('')
})

// The navigation scrolls, and would cut off what extends beyond its links.
test('the outline of a focused link in the navigation ends at its edge', async ({ page }) => {
  await page.locator('nav a').first().focus()

  const [outlineOffset = ''] = await readStyles(page, ':focus', 'outlineOffset')
  const [outlineWidth = ''] = await readStyles(page, ':focus', 'outlineWidth')
  expect(Number.parseFloat(outlineOffset) + Number.parseFloat(outlineWidth)).toBe(0)
})
