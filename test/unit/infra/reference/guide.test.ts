import { expect, inject } from 'vitest'
import { test, useDemoKey } from './browser.ts'
import { hasCurl, runCurl } from './clients/programs.ts'

const isWithCurl = hasCurl()

test('The guide has links that lead to what they name, and requests that work as they stand', async ({ page }) => {
  const links: readonly string[] = await page.evaluate('[...document.links].map(({ href }) => href)')
  expect(links.length).toBeGreaterThan(15)
  for (const link of links) {
    const { hash } = new URL(link)
    if (hash === '') expect([link, (await fetch(link)).status]).toEqual([link, 200])
    else expect([link, await page.locator(hash).count()]).toEqual([link, 1])
  }
  const commands = await page.locator('.copied pre', { hasText: 'curl' }).allInnerTexts()
  expect(commands).toHaveLength(2)
  if (!isWithCurl) return
  for (const command of commands) expect(await runCurl(`${command} --silent --fail`)).toMatch(/"categoryId":\d+/)
})

test('The guide copies code with the demo key that the reader has chosen', async ({ open }) => {
  const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
  await useDemoKey(page)
  await page.locator('#get-a-key').getByRole('button', { name: 'Copy' }).first().click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    `Authorization: Bearer ${inject('reference').demoKeys[1]}`,
  )
})
