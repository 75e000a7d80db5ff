import { createServer } from 'node:http'
import { expect, inject, it, onTestFinished } from 'vitest'
import { listen } from '../../../../infra/local/gateway/listen.ts'
import { renderChapters } from '../../../../infra/reference/markdown.ts'
import { chooseDemoKey, test } from './browser.ts'
import { hasCurl, runCurl } from './clients/programs.ts'

const testWithCurl = hasCurl() ? test : test.skip

test('each link in the page leads to an existing target', async ({ page }) => {
  const links: readonly string[] = await page.evaluate('[...document.links].map(({ href }) => href)')

  expect(links.length).toBeGreaterThan(15)
  for (const link of links) {
    const { hash } = new URL(link)
    if (hash === '') expect((await fetch(link)).status, link).toBe(200)
    else expect(await page.locator(`[id="${hash.slice(1)}"]`).count(), link).toBe(1)
  }
})

test('each heading of a section links to itself', async ({ page }) => {
  const headings = await page.locator('main :is(h2, h3)').count()

  expect(headings).toBeGreaterThan(15)
  expect(await page.locator('main :is(h2, h3) > a[href^="#"]').count()).toBe(headings)
})

testWithCurl('the curl commands of the guide succeed unchanged', async ({ page }) => {
  const commands = await page.locator('section:not(.operation) .copyable pre', { hasText: 'curl' }).allInnerTexts()
  expect(commands.length).toBeGreaterThan(0)

  for (const command of commands) {
    const body = await runCurl(`${command} --silent --fail`)
    expect(body).toMatch(/"categoryId":\d+/)
  }
})

testWithCurl('the curl options of the guide retry a lost response and a 503', async ({ page }) => {
  const command = await page.locator('#retry code', { hasText: 'curl --retry' }).first().innerText()
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    if (requests === 1) request.socket.destroy()
    else if (requests === 2) response.writeHead(503, { 'Retry-After': '1' }).end()
    else response.end('added')
  })
  onTestFinished(() => {
    server.close()
  })

  const output = await runCurl(`${command} --silent -d '{}' http://127.0.0.1:${await listen(server, 0)}`)

  expect(output).toBe('added')
})

test('the button Copy copies code with the demo key that the reader has chosen', async ({ open }) => {
  const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
  await chooseDemoKey(page, 'pro')

  await page.locator('#get-a-key').getByRole('button', { name: 'Copy' }).first().click()
  await page.getByRole('button', { name: 'Copied the header' }).waitFor()

  expect(await page.locator('#announcement').innerText()).toBe('Copied: the header')
  const copiedText = await page.evaluate('navigator.clipboard.readText()')
  expect(copiedText).toBe(`Authorization: Bearer ${inject('reference').demoKeys.pro}`)
})

test('a link to a response unfolds it', async ({ page }) => {
  const response = page.locator('details:has(> #common-429)')
  expect(await response.getAttribute('open')).toBeNull()

  await page.locator('#listPets').getByRole('link', { name: '429' }).click()

  await expect.poll(() => response.getAttribute('open')).toBe('')
})

test('the address of a response unfolds it when the page is opened', async ({ open }) => {
  const page = await open({ url: `${inject('reference').url}#createPet-422` })

  await expect.poll(() => page.locator('details:has(> #createPet-422)').getAttribute('open')).toBe('')
})

test('the navigation marks the section at the top of the window', async ({ page }) => {
  await page.locator('nav').getByRole('link', { name: 'Retry' }).click()

  const current = page.locator('nav [aria-current="true"]')
  await expect.poll(() => current.allInnerTexts()).toEqual(['Retry'])
})

it('a placeholder without a value is refused', () => {
  expect(() => renderChapters('## Bans\n\nFor {{first-bann}}.\n', {})).toThrow('unknown placeholder first-bann')
})
