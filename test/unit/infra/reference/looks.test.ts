import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { expect, inject, test } from 'vitest'
import { sized } from '../../../fixtures/size.ts'
import { describeInBrowser, execute, openOperation, useBrowser } from './browser.ts'

const { openReference } = useBrowser()

const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa']

const violations = async (page: Page, part: string): Promise<readonly string[]> => {
  // Colours that are still changing have another contrast.
  await expect.poll(() => page.evaluate('document.getAnimations().length')).toBe(0)
  const { violations: found } = await new AxeBuilder({ page }).include(part).withTags(levels).analyze()
  return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

/** Opens all there is, with the response to a request. */
const openAll = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Use the demo key of the business plan' }).click()
  for (const operationId of ['createPet', 'getPet']) await openOperation(page, 'pets', operationId)
  await openOperation(page, 'store', 'listStoreOrders')
  const list = await openOperation(page, 'pets', 'listPets')
  await list.locator('.response[data-code="429"] summary').click()
  await execute(list, 200)
}

describeInBrowser.each(sized(['dark'] as const, ['light', 'dark'] as const))('In %s colours', (colorScheme) => {
  test('the page, its open operations, a response and the form for the key meet WCAG A and AA', async () => {
    const page = await openReference({ options: { colorScheme, viewport: { width: 1280, height: 900 } } })
    await openAll(page)
    expect(await violations(page, 'html')).toEqual([])
    await page.getByRole('button', { name: 'Authorize', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Logout' }).click()
    await page.getByRole('dialog').getByRole('textbox').waitFor()
    expect(await violations(page, 'dialog')).toEqual([])
  })
})

describeInBrowser('The page', () => {
  test('follows the colours of the system, until the reader chooses others', async () => {
    const ground = (page: Page) => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    const page = await openReference({ options: { colorScheme: 'dark' } })
    const dark = await ground(page)
    await page.emulateMedia({ colorScheme: 'light' })
    await expect.poll(() => ground(page)).not.toBe(dark)
    await page.getByRole('button', { name: 'Dark theme' }).press('Enter')
    expect(await ground(page)).toBe(dark)
    await page.reload()
    expect(await ground(page)).toBe(dark)
    expect(await page.getByRole('button', { name: 'Dark theme', pressed: true }).count()).toBe(1)
  })

  test('fits on a phone, whatever is open: nothing is scrolled sideways, and no button covers code', async () => {
    const page = await openReference({
      options: { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true },
    })
    const width = () => page.evaluate('document.documentElement.scrollWidth')
    expect(await width()).toBe(360)
    await openAll(page)
    expect(await width()).toBe(360)
    expect(await page.evaluate(scrolledSideways)).toEqual([])
    expect(await page.evaluate(coveredCode)).toEqual([])
  })

  test('can be used by keyboard alone, with the focus in sight', async () => {
    const page = await openReference()
    const outline = () => page.evaluate('getComputedStyle(document.activeElement).outlineStyle')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the operations')
    expect(await outline()).not.toBe('none')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('all-operations-title')

    // The form takes the focus, keeps it, and gives it back.
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Authorize')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type(inject('demoKeys')[2] ?? '')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText('Authorized').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Authorize')

    const list = page.locator('#operations-pets-listPets')
    await pressUntilFocused(page, 'opblock-summary-control')
    expect(await outline()).not.toBe('none')
    await page.keyboard.press('Enter')
    await list.locator('.opblock-description').waitFor()
    await pressUntilFocused(page, 'execute')
    expect(await outline()).not.toBe('none')
    await page.keyboard.press('Enter')
    await list.locator('.live-responses-table').getByText('x-ratelimit-limit:').waitFor()
  })

  test('opens the operation that its address names', async () => {
    const page = await openReference({ url: `${inject('referenceUrl')}#/pets/createPet` })
    await page.locator('#operations-pets-createPet .opblock-description').waitFor()
  })
})

/** What is wider than the place that it is scrolled in. */
const scrolledSideways = `[...document.querySelectorAll('.content *')]
  .filter((part) => /auto|scroll/.test(getComputedStyle(part).overflowX) && part.scrollWidth > part.clientWidth)
  .map((part) => part.outerHTML)`

/** Code that shares a pixel with a button beside it. */
const coveredCode = `[...document.querySelectorAll('.copied, .curl-command, .highlight-code')].flatMap((block) => {
  const code = block.querySelector('pre').getBoundingClientRect()
  return [...block.querySelectorAll('button')].filter((button) => {
    const { left, right, top, bottom } = button.getBoundingClientRect()
    return left < code.right && right > code.left && top < code.bottom && bottom > code.top
  }).map(() => block.outerHTML)
})`

/** Tabs on to the next element of the class. */
const pressUntilFocused = async (page: Page, className: string): Promise<void> => {
  for (let presses = 0; presses < 30; presses += 1) {
    await page.keyboard.press('Tab')
    if (await page.evaluate(`document.activeElement.classList.contains('${className}')`)) return
  }
  throw new Error(`Nothing of the class ${className} came into focus.`)
}
