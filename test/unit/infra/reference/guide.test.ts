import type { Page } from 'playwright-core'
import { expect, inject, test } from 'vitest'
import { readContract } from '../../../../infra/contract/contract.ts'
import { fixedPlans } from '../../../../shared/api-keys/plans.ts'
import { describeInBrowser, useBrowser } from './browser.ts'
import { isFound, run } from './clients/programs.ts'

const { readReference } = useBrowser()

const hasCurl = isFound('bash', '-c', 'curl --version')

/** The cells of a table's body, row by row. */
const rowsOf = async (page: Page, id: string): Promise<readonly (readonly string[])[]> =>
  Promise.all((await page.locator(`#${id} tbody tr`).all()).map((row) => row.locator('th, td').allInnerTexts()))

describeInBrowser('The guide', () => {
  test('has each plan with its limits', async () => {
    expect(await rowsOf(await readReference(), 'plans')).toEqual([
      ...Object.entries(fixedPlans).map(([plan, { perMinute, perDay }]) => [
        plan.charAt(0).toUpperCase() + plan.slice(1),
        ...[perMinute, perDay].map((limit) => limit.toLocaleString('en-US')),
      ]),
      ['Enterprise', 'set for each key', 'set for each key'],
    ])
  })

  test('has each error code of the contract, with a status that an example has', async () => {
    const contract = readContract()
    const codes = contract.document.components.schemas['ErrorCode']?.enum
    const rows = await rowsOf(await readReference(), 'error-codes')
    expect(rows.map(([code]) => code)).toEqual(codes)
    const examples = JSON.stringify(contract.document)
    for (const [code, status, message = ''] of rows) {
      expect(examples).toMatch(new RegExp(`"code":"${code}","message":"[^"]+","status":${status}`))
      expect(message).toMatch(/\.$/)
    }
  })

  test('explains every header that says what is left, and each of its links leads to what it names', async () => {
    const page = await readReference()
    const limits = await page.locator('#limits').innerText()
    for (const header of [
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'RateLimit-Policy',
      'RateLimit',
    ])
      expect(limits).toContain(header)
    for (const link of await page.locator('a[href^="#"]').all()) {
      const target = (await link.getAttribute('href'))?.slice(1).replace(/^\/(.*)\/(.*)/, 'operations-$1-$2')
      expect([target, await page.locator(`[id="${target}"]`).count()]).toEqual([target, 1])
    }
    for (const link of await page.locator('a:not([href^="#"])').all()) {
      const url = new URL((await link.getAttribute('href')) ?? '', page.url())
      expect([url.pathname, (await fetch(url)).status]).toEqual([url.pathname, 200])
    }
  })

  test.skipIf(!hasCurl)('shows requests that work as they stand', async () => {
    const page = await readReference()
    const commands = await page.locator('.copied pre', { hasText: 'curl' }).allInnerTexts()
    expect(commands).toHaveLength(3)
    for (const command of commands) {
      expect(await run('bash', ['-c', `${command} --silent --fail`], { folder: '.' })).toMatch(/"categoryId":\d+/)
    }
  })

  test('copies code', async () => {
    const page = await readReference()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.locator('#get-a-key').getByRole('button', { name: 'Copy' }).first().click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`Authorization: Bearer ${inject('demoKeys')[0]}`)
  })

  test('has the fields of what is sent, each with its rule in words', async () => {
    expect(await rowsOf(await readReference(), 'schema-NewPet')).toEqual([
      ['name', 'a string of 1 to 255 characters, not only spaces', expect.stringMatching(/\.$/)],
      ['categoryId', 'an integer from -9223372036854775808 to 9223372036854775807', expect.stringMatching(/\.$/)],
      ['status', 'optional: one of available, pending, sold', expect.stringMatching(/\.$/)],
    ])
  })

  test('shows what a link leads to below the header, and marks its part in the navigation', async () => {
    const page = await readReference()
    const headerHeight = Number(await page.evaluate("document.querySelector('header').offsetHeight"))
    const topOf = async (selector: string) => (await page.locator(selector).boundingBox())?.y
    for (const link of await page.getByRole('navigation').getByRole('link').all()) {
      await link.click()
      await expect.poll(() => link.getAttribute('aria-current')).toBe('true')
      expect(await page.locator('[aria-current="true"]').count()).toBe(1)
      expect(await topOf(`${await link.getAttribute('href')} h2`)).toBeGreaterThanOrEqual(headerHeight)
    }
    for (const operationId of ['getPet', 'listPets']) {
      await page.evaluate(`location.hash = '#/pets/${operationId}'`)
      const operation = `#operations-pets-${operationId}`
      await page.locator(`${operation} .opblock-description`).waitFor()
      await expect.poll(() => topOf(operation)).toBeGreaterThanOrEqual(headerHeight)
      expect(await topOf(operation)).toBeLessThan(headerHeight + 400)
    }
  })
})
