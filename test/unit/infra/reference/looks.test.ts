import { AxeBuilder } from '@axe-core/playwright'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, inject, test } from 'vitest'
import { describeInBrowser, send, useBrowser, useDemoKey } from './browser.ts'

const openReference = useBrowser()

const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa']

const violations = async (page: Page, forced: unknown): Promise<readonly string[]> => {
  // Where the system forces its colours, axe still reads those of the page.
  const disabled = forced === undefined ? [] : ['color-contrast']
  const { violations: found } = await new AxeBuilder({ page }).withTags(levels).disableRules(disabled).analyze()
  return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

/** Opens all there is, with a response, an error, and a field that is marked. */
const openAll = async (page: Page): Promise<void> => {
  await useDemoKey(page, 'business')
  await page.evaluate(`for (const folded of document.querySelectorAll('details')) folded.open = true`)
  await send(page.locator('#listPets'), 200)
  const get = page.locator('#getPet')
  await get.getByLabel('petId').fill('abc')
  await get.getByLabel('petId').blur()
  await send(get, 404)
}

const looks: readonly BrowserContextOptions[] = [
  { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  { colorScheme: 'light', forcedColors: 'active', viewport: { width: 390, height: 844 } },
  { colorScheme: 'dark', viewport: { width: 320, height: 640 } },
]

describeInBrowser('The page', () => {
  test.each(looks)('meets WCAG 2.2 A and AA, and fits its window, whatever is open: %j', async (options) => {
    const page = await openReference({ options })
    await openAll(page)
    expect(await violations(page, options.forcedColors)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(options.viewport?.width)
    expect(await page.evaluate(scrolledSideways)).toEqual([])
  })

  test('follows the colours of the system', async () => {
    const ground = (page: Page) => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    const page = await openReference({ options: { colorScheme: 'dark' } })
    const dark = await ground(page)
    await page.emulateMedia({ colorScheme: 'light' })
    await expect.poll(() => ground(page)).not.toBe(dark)
  })

  test('moves nothing, and on paper shows what is folded and no panel', async () => {
    const page = await openReference()
    expect(await page.evaluate('document.getAnimations().length')).toBe(0)
    expect(await (await fetch(`${inject('referenceUrl')}page.css`)).text()).not.toMatch(/animation|transition|smooth/)
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('#getPet details[data-status="404"] pre').first().isVisible()).toBe(true)
    expect(await page.locator('.panel:visible, nav:visible, button:visible').count()).toBe(0)
  })

  test('can be used by keyboard alone, with the focus in sight', async () => {
    const page = await openReference()
    const focused = (property: string) => page.evaluate(`document.activeElement.${property}`)
    const outline = () => page.evaluate('getComputedStyle(document.activeElement).outlineStyle')
    const tabTo = async (property: string, value: string) => {
      for (let presses = 0; (await focused(property)) !== value; presses += 1) {
        if (presses > 30) throw new Error(`Nothing with the ${property} ${value} came into focus.`)
        await page.keyboard.press('Tab')
        expect(await outline()).not.toBe('none')
      }
    }
    await page.keyboard.press('Tab')
    expect(await focused('textContent')).toBe('Skip to the operations')
    await page.keyboard.press('Enter')
    await tabTo('id', 'api-key')
    await page.keyboard.type(inject('demoKeys')[2] ?? '')
    await tabTo('name', 'limit')
    await page.keyboard.type('1000')
    await tabTo('textContent', 'Send anyway')
    await page.keyboard.press('Enter')
    await page.locator('#listPets output', { hasText: '400' }).waitFor()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await page.locator('#listPets output', { hasText: '400' }).waitFor()
    await tabTo('tagName', 'SUMMARY')
    await page.keyboard.press('Enter')
    expect(await page.locator('details[open]').count()).toBe(1)
  })
})

/** What is wider than the place that it is scrolled in. */
const scrolledSideways = `[...document.querySelectorAll('main *')]
  .filter((part) => /auto|scroll/.test(getComputedStyle(part).overflowX) && part.scrollWidth > part.clientWidth)
  .map((part) => part.outerHTML)`
