import type { Page } from 'playwright-core'
import { expect, inject, test } from 'vitest'
import { readContract } from '../../../../infra/contract/contract.ts'
import { fixedPlans } from '../../../../shared/api-keys/plans.ts'
import { describeInBrowser, readReference, useBrowser } from './browser.ts'

useBrowser()

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
    const codes = contract.resolve({ $ref: '#/components/schemas/ErrorCode' })['enum']
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
      expect(await page.locator(`[id="${(await link.getAttribute('href'))?.slice(1)}"]`).count()).toBe(1)
    }
    for (const link of await page.locator('a:not([href^="#"])').all()) {
      const url = new URL((await link.getAttribute('href')) ?? '', page.url())
      expect([url.pathname, (await fetch(url)).status]).toEqual([url.pathname, 200])
    }
  })

  test('shows a first request that works as it stands', async () => {
    const page = await readReference()
    const command = await page.locator('#first-request pre').innerText()
    const [, authorization = '', url = ''] = /-H "Authorization: (.*)" \\\n {2}"(.*)"/.exec(command) ?? []
    expect(url).toContain(inject('apiUrl'))
    const response = await fetch(url, { headers: { Authorization: authorization } })
    expect(await response.json()).toHaveLength(3)
  })

  test('copies code', async () => {
    const page = await readReference()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.locator('#get-a-key').getByRole('button', { name: 'Copy' }).first().click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('Authorization: Bearer <API_KEY>')
  })

  test('tells of paging, retrying, creating once and versions', async () => {
    const page = await readReference()
    expect(await page.locator('#paging').innerText()).toContain('rel="next"')
    expect(await page.locator('#retrying').innerText()).toContain('Retry-After')
    expect(await page.locator('#creating-once').innerText()).toContain('Idempotency-Key')
    expect(await page.locator('#versions').innerText()).toContain('GET /pets/{petId} is removed on 5 December 2030')
  })
})
