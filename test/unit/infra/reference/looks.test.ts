import { AxeBuilder } from '@axe-core/playwright'
import { expect, inject } from 'vitest'
import { chooseBySize } from '../../../fixtures/size.ts'
import { send, test, useDemoKey } from './browser.ts'

const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa']

/** What is wider than the place that it is scrolled in. */
const scrolledSideways = `[...document.querySelectorAll('main *')]
  .filter((part) => /auto|scroll/.test(getComputedStyle(part).overflowX) && part.scrollWidth > part.clientWidth)
  .map((part) => part.outerHTML)`

const looks = [
  ['dark', 'none', 320, 640],
  ['light', 'none', 1_280, 900],
  ['light', 'active', 390, 844],
  ['dark', 'none', 1_280, 900],
] as const

test('The page meets WCAG 2.2 A and AA, fits its window whatever is open, and follows the colours of the system', async ({
  page,
}) => {
  // All there is, with a response, an error, and a field that is marked.
  await useDemoKey(page, 'business')
  await page.evaluate(`for (const folded of document.querySelectorAll('details')) folded.open = true`)
  await send(page.locator('#listPets'), 200)
  const get = page.locator('#getPet')
  await get.getByLabel('petId').fill('abc')
  await get.getByLabel('petId').blur()
  await send(get, 404)
  const grounds = new Set<unknown>()
  for (const [place, [colorScheme, forcedColors, width, height]] of looks
    .slice(0, chooseBySize(2, looks.length))
    .entries()) {
    await page.emulateMedia({ colorScheme, forcedColors })
    await page.setViewportSize({ width, height })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    expect(await page.evaluate(scrolledSideways)).toEqual([])
    grounds.add(await page.evaluate('getComputedStyle(document.documentElement).backgroundColor'))
    // Axe takes some seconds.
    if (place < chooseBySize(1, 0)) continue
    // The page has no frames, for which other modes start over in a second page. Where the system forces its colours, axe
    // still reads those of the page.
    const axe = new AxeBuilder({ page }).setLegacyMode().withTags(levels)
    if (forcedColors === 'active') axe.disableRules('color-contrast')
    const { violations } = await axe.analyze()
    expect(violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))).toEqual([])
  }
  expect(grounds.size).toBeGreaterThan(1)
})

test('The page moves nothing, can be used by keyboard alone, and on paper shows what is folded and no panel', async ({
  page,
}) => {
  expect(await page.evaluate('document.getAnimations().length')).toBe(0)
  expect(await (await fetch(`${inject('reference').url}page.css`)).text()).not.toMatch(/animation|transition|smooth/)
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
  await page.keyboard.type(inject('reference').demoKeys[2] ?? '')
  await tabTo('name', 'limit')
  await page.keyboard.type('1000')
  await tabTo('textContent', 'Send anyway')
  await page.keyboard.press('Enter')
  await page.locator('#listPets output', { hasText: '400' }).waitFor()
  await tabTo('tagName', 'SUMMARY')
  await page.keyboard.press('Enter')
  expect(await page.locator('details[open]').count()).toBe(1)
  await page.emulateMedia({ media: 'print' })
  expect(await page.locator('#getPet details[data-status="404"] pre').first().isVisible()).toBe(true)
  expect(await page.locator('.panel:visible, nav:visible, button:visible').count()).toBe(0)
})
