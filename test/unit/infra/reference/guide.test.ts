import { expect, inject } from 'vitest'
import { readContract } from '../../../../infra/contract/contract.ts'
import { capitalized } from '../../../../infra/reference/html.ts'
import { fixedPlans } from '../../../../shared/api-keys/plans.ts'
import { catalogue } from '../../../../shared/contract/generated/errors.ts'
import { sized } from '../../../fixtures/size.ts'
import { test, useDemoKey } from './browser.ts'
import { hasCurl, runCurl } from './clients/programs.ts'

const isWithCurl = hasCurl()

test('The guide has each plan with its limits, each error code, and each header that says what is left', async ({
  page,
}) => {
  const rowsOf = async (id: string) =>
    (await page.locator(`#${id} tbody tr`).allInnerTexts()).map((row) => row.split('\t'))
  const grouped = (limit: number): string => limit.toLocaleString('en-US')
  expect(await rowsOf('plans')).toEqual([
    ...Object.entries(fixedPlans).map(([plan, { perMinute, perDay }]) => [
      ...[capitalized(plan), grouped(perMinute), grouped(perDay)],
    ]),
    ['Enterprise', 'set for each key', 'set for each key'],
  ])
  expect(await rowsOf('error-codes')).toEqual(
    Object.entries(catalogue).map(([code, { status, message }]) => [code, String(status), message]),
  )
  const headers = Object.keys(readContract().document.components.headers).filter((name) => name.includes('RateLimit'))
  expect(await page.locator('#limits dt').allInnerTexts()).toEqual(headers)
})

test('The guide has links that lead to what they name', async ({ page }) => {
  const links: readonly string[] = await page.evaluate('[...document.links].map(({ href }) => href)')
  expect(links.length).toBeGreaterThan(15)
  for (const link of links) {
    const { hash } = new URL(link)
    if (hash === '') expect([link, (await fetch(link)).status]).toEqual([link, 200])
    else expect([link, await page.locator(hash).count()]).toEqual([link, 1])
  }
})

test('The guide shows requests that work as they stand', async ({ page }) => {
  if (!isWithCurl) return
  const commands = await page.locator('.copied pre', { hasText: 'curl' }).allInnerTexts()
  expect(commands).toHaveLength(2)
  for (const command of commands) expect(await runCurl(`${command} --silent --fail`)).toMatch(/"categoryId":\d+/)
})

test('The guide copies code, with the demo key that the reader has chosen', async ({ open }) => {
  const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
  await useDemoKey(page)
  await page.locator('#get-a-key').getByRole('button', { name: 'Copy' }).first().click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    `Authorization: Bearer ${inject('reference').demoKeys[1]}`,
  )
})

test('The guide shows what a link leads to below the header', async ({ page }) => {
  const header = await page.locator('header.top').boundingBox()
  for (const link of (await page.getByRole('navigation').getByRole('link').all()).slice(sized(-2, 0))) {
    await link.click()
    const heading = page.locator(`${await link.getAttribute('href')} :is(h2, h3)`).first()
    await expect.poll(async () => (await heading.boundingBox())?.y).toBeLessThan(400)
    expect((await heading.boundingBox())?.y).toBeGreaterThanOrEqual(header?.height ?? Number.NaN)
  }
})
