import type { Page } from 'playwright-core'
import { expect, inject } from 'vitest'
import { chooseDemoKey, test } from './browser.ts'
import { hasCurl, hasPython, python, runCurl, runProgram } from './clients/programs.ts'

const testWithCurl = hasCurl() ? test : test.skip
const testWithPython = hasPython() ? test : test.skip

/** Reads the code of an operation in a language, also if another language is shown. */
const readCode = async (page: Page, operationId: string, language: string): Promise<string> =>
  (await page.locator(`#${operationId} [data-language="${language}"] pre`).textContent()) ?? ''

testWithCurl('the curl code of an operation succeeds unchanged', async ({ page }) => {
  expect(await runCurl(`${await readCode(page, 'listPets', 'curl')} --silent --fail`)).toContain('"categoryId":')
  expect(await runCurl(`${await readCode(page, 'createPet', 'curl')} --silent --fail`)).toContain('"name":"Bella"')
})

test('the TypeScript code of an operation succeeds unchanged', async ({ page }) => {
  const code = await readCode(page, 'createPet', 'TypeScript')

  const output = await runProgram(process.execPath, ['--input-type=module', '--eval', code])

  expect(output).toMatch(/^201 .*"name":"Bella"/)
})

testWithPython('the Python code of an operation succeeds unchanged', async ({ page }) => {
  const code = await readCode(page, 'createPet', 'Python')

  const output = await runProgram(python, ['-c', code])

  expect(output).toMatch(/^201 .*"name":"Bella"/)
})

test('the code has the demo key that the reader has chosen', async ({ page }) => {
  await chooseDemoKey(page, 'business')

  for (const language of ['curl', 'TypeScript', 'Python']) {
    expect(await readCode(page, 'listPets', language)).toContain(inject('reference').demoKeys.business)
  }
})

test('a chosen language is shown everywhere, also after the page is reloaded', async ({ page }) => {
  await page.locator('#listPets').getByRole('tab', { name: 'Python' }).click()
  await page.reload()

  const shownTabs = page.locator('[role="tab"][aria-selected="true"]')
  expect(new Set(await shownTabs.allInnerTexts())).toEqual(new Set(['Python']))
  expect(await page.locator('#getPet [role="tabpanel"]:visible').getAttribute('data-language')).toBe('Python')
})

test('the language of code can be chosen by keyboard alone', async ({ page }) => {
  const operation = page.locator('#listPets')
  await operation.getByRole('tab', { name: 'curl' }).focus()

  const steps = [
    { key: 'ArrowRight', language: 'TypeScript' },
    { key: 'End', language: 'Python' },
    { key: 'ArrowRight', language: 'curl' },
    { key: 'ArrowLeft', language: 'Python' },
    { key: 'ArrowLeft', language: 'TypeScript' },
    { key: 'Home', language: 'curl' },
  ]
  for (const { key, language } of steps) {
    await page.keyboard.press(key)
    expect(await operation.getByRole('tabpanel').getAttribute('data-language'), key).toBe(language)
  }
})

test('Tab leaves the languages of code, and chooses none', async ({ page }) => {
  const operation = page.locator('#listPets')
  await operation.getByRole('tab', { name: 'curl' }).focus()

  await page.keyboard.press('Tab')

  expect(await operation.getByRole('tab').and(page.locator(':focus')).count()).toBe(0)
  expect(await operation.getByRole('tabpanel').getAttribute('data-language')).toBe('curl')
})

test('a key that chooses a language does not scroll the page', async ({ page }) => {
  await page.locator('#listPets').getByRole('tab', { name: 'curl' }).focus()
  // A key whose default is prevented does not scroll. The page hears of it after the tabs.
  await page.evaluate(`addEventListener('keydown', ({ defaultPrevented }) => {
    document.title = defaultPrevented ? 'The page stays' : 'The page scrolls'
  })`)

  await page.keyboard.press('End')

  expect(await page.title()).toBe('The page stays')
})

test('without JavaScript the code of every language is shown', async ({ open }) => {
  const page = await open({ javaScriptEnabled: false })

  expect(await page.locator('#listPets [data-language] pre:visible').count()).toBe(3)
  expect(await page.locator('#listPets .language').allInnerTexts()).toEqual(['curl', 'TypeScript', 'Python'])
})
