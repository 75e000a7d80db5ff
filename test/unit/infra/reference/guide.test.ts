import { expect, inject, test } from 'vitest'
import { readContract } from '../../../../infra/contract/contract.ts'
import { fixedPlans } from '../../../../shared/api-keys/plans.ts'
import { catalogue } from '../../../../shared/contract/generated/errors.ts'
import { sized } from '../../../fixtures/size.ts'
import { describeInBrowser, useBrowser, useDemoKey } from './browser.ts'
import { isFound, run } from './clients/programs.ts'

const openReference = useBrowser()

const hasCurl = isFound('bash', '-c', 'curl --version')

/** The cells of a table's body, row by row. */
const rowsOf = (id: string) =>
  `[...document.querySelectorAll('#${id} tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText))`

describeInBrowser('The guide', () => {
  test('has each plan with its limits, each error code, and each header that says what is left', async () => {
    const page = await openReference()
    expect(await page.evaluate(rowsOf('plans'))).toEqual([
      ...Object.entries(fixedPlans).map(([plan, { perMinute, perDay }]) => [
        plan.charAt(0).toUpperCase() + plan.slice(1),
        ...[perMinute, perDay].map((limit) => limit.toLocaleString('en-US')),
      ]),
      ['Enterprise', 'set for each key', 'set for each key'],
    ])
    expect(await page.evaluate(rowsOf('error-codes'))).toEqual(
      Object.entries(catalogue).map(([code, { status, message }]) => [code, String(status), message]),
    )
    const headers = Object.keys(readContract().document.components.headers).filter((name) => name.includes('RateLimit'))
    expect(await page.locator('#limits dt').allInnerTexts()).toEqual(headers)
  })

  test('has links that lead to what they name', async () => {
    const page = await openReference()
    const links: readonly string[] = await page.evaluate('[...document.links].map(({ href }) => href)')
    expect(links.length).toBeGreaterThan(15)
    const [inside, outside] = [true, false].map((is) => links.filter((link) => (new URL(link).hash !== '') === is))
    const ids = new Set(
      await page.evaluate<readonly string[]>("[...document.querySelectorAll('[id]')].map(({ id }) => id)"),
    )
    expect(inside?.filter((link) => !ids.has(new URL(link).hash.slice(1)))).toEqual([])
    for (const link of outside ?? []) expect([link, (await fetch(link)).status]).toEqual([link, 200])
  })

  test.skipIf(!hasCurl)('shows requests that work as they stand', async () => {
    const page = await openReference()
    const commands = await page.locator('.copied pre', { hasText: 'curl' }).allInnerTexts()
    expect(commands).toHaveLength(2)
    for (const command of commands) {
      expect(await run('bash', ['-c', `${command} --silent --fail`], { folder: '.' })).toMatch(/"categoryId":\d+/)
    }
  })

  test('copies code, with the demo key that the reader has chosen', async () => {
    const page = await openReference({ permissions: ['clipboard-read', 'clipboard-write'] })
    await useDemoKey(page)
    await page.locator('#get-a-key').getByRole('button', { name: 'Copy' }).first().click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`Authorization: Bearer ${inject('demoKeys')[1]}`)
  })

  test('shows what a link leads to below the header', async () => {
    const page = await openReference()
    const headerHeight = Number(await page.evaluate("document.querySelector('header').offsetHeight"))
    const links = await page.getByRole('navigation').getByRole('link').all()
    for (const link of links.slice(sized(-2, 0))) {
      await link.click()
      const heading = page.locator(`${await link.getAttribute('href')} :is(h2, h3)`)
      await expect.poll(async () => (await heading.first().boundingBox())?.y).toBeLessThan(400)
      expect((await heading.first().boundingBox())?.y).toBeGreaterThanOrEqual(headerHeight)
    }
  })
})
