import type { Route } from 'playwright-core'
import { expect, inject } from 'vitest'
import { readContract } from '../../../../infra/contract/contract.ts'
import { fixedPlans } from '../../../../shared/api-keys/plans.ts'
import { chooseBySize } from '../../../fixtures/size.ts'
import { send, shown, test, useDemoKey } from './browser.ts'
import { hasCurl, runCurl } from './clients/programs.ts'

const largest = '9223372036854775807'
const isWithCurl = hasCurl()

test('A panel sends what is filled in, without a key or with that of the page, shows the response, and forgets the key', async ({
  page,
}) => {
  const list = page.locator('#listPets')
  expect(await shown(await send(list, 401), 'body')).toContain('"code": "unauthorized"')
  await useDemoKey(page)
  expect(await page.locator('#key-in-use').textContent()).toContain('the demo key of the pro plan')
  await list.getByLabel('limit').fill('2')
  await list.getByLabel('status').selectOption('pending')
  const sent = page.waitForRequest(/\/pets/)
  const result = await send(list, 200)
  expect((await sent).url()).toBe(`${inject('reference').apiUrl}/pets?limit=2&status=pending`)
  const headers = await shown(result, 'headers')
  expect(headers).toContain(`x-ratelimit-limit: ${fixedPlans.pro.perMinute}`)
  for (const name of ['x-ratelimit-remaining', 'x-ratelimit-reset', 'ratelimit-policy', 'ratelimit', 'link'])
    expect(headers).toContain(`\n${name}: `)
  const body = await shown(result, 'body')
  expect(body.match(/"status": "pending"/g)).toHaveLength(2)
  if (isWithCurl) {
    const repeated = await runCurl((await shown(result, 'curl')).replace('curl -i', 'curl -sS'))
    expect(JSON.parse(repeated)).toEqual(JSON.parse(body))
  }
  expect(await page.context().storageState()).toEqual({ cookies: [], origins: [] })
  await page.reload()
  expect(await page.getByLabel('Your API key').inputValue()).toBe('')
})

test('A panel has an example of the body, and keeps an int64 to its last digit: sent, by curl, and back', async ({
  page,
}) => {
  await useDemoKey(page)
  const create = page.locator('#createPet')
  expect(JSON.parse(await create.getByLabel('Request body').inputValue())).toMatchObject({ name: 'Bella' })
  const body = `{"name":"It's <img src=x onerror=alert(1)>","categoryId":${largest}}`
  await create.getByLabel('Request body').fill(body)
  await create.getByLabel('Idempotency-Key').fill('from the page')
  const sent = page.waitForRequest((request) => request.method() === 'POST')
  const result = await send(create, 201)
  expect((await sent).postData()).toBe(body)
  for (const part of [`"categoryId": ${largest},`, '<img src=x onerror=alert(1)>'])
    expect(await shown(result, 'body')).toContain(part)
  expect(await page.locator('main img').count()).toBe(0)
  if (!isWithCurl) return
  const again = await runCurl(await shown(result, 'curl'))
  expect(again).toContain('Idempotency-Replayed: true')
  expect(again).toContain(`"categoryId":${largest}`)
})

test('A panel counts down to when a request over the limit can be sent again, and says when it is time', async ({
  open,
}) => {
  const page = await open({ before: (page) => page.clock.install() })
  await page.getByLabel('Your API key').fill(inject('reference').usedUpKey)
  const list = page.locator('#listPets')
  await send(list, 200)
  const result = await send(list, 429)
  const [, seconds = ''] = /^retry-after: (\d+)$/m.exec(await shown(result, 'headers')) ?? []
  const timer = result.getByRole('timer')
  const first = await timer.innerText()
  expect(first).toMatch(/^Try again in [\d,]+ s, at \d/)
  await page.clock.runFor(1_000)
  expect(await timer.innerText()).not.toBe(first)
  await page.clock.fastForward(Number(seconds) * 1_000)
  expect(await timer.innerText()).toBe('You can try again now.')
})

const wrongValues = [
  ['createPet', 'Request body', '{"name":" ","categoryId":1}'],
  ['createPet', 'Request body', '{"name":"Bella",'],
  ['listPets', 'limit', '101'],
  ['listPets', 'limit', 'many'],
  ['createPet', 'Idempotency-Key', 'x'.repeat(256)],
  ['createPet', 'Request body', '{"name":"Bella"}'],
  ['createPet', 'Request body', '{"name":"Bella","categoryId":9223372036854775808}'],
  ['createPet', 'Request body', '[]'],
] as const

test('What the contract forbids is marked at its field in the words of the service, and sent at the second press alone', async ({
  page,
}) => {
  const sent: string[] = []
  page.on('request', (request) => request.url().includes('/v1/') && sent.push(request.url()))
  const get = page.locator('#getPet')
  await get.getByRole('button', { name: 'Send' }).click()
  expect(await get.locator('.problem:not(:empty)').innerText()).toBe('petId is required.')
  expect(await page.evaluate('document.activeElement.name')).toBe('petId')
  expect(sent).toEqual([])
  await get.getByLabel('petId').fill('abc')
  await send(get, 401)
  expect(sent).toEqual([`${inject('reference').apiUrl}/pets/abc`])

  await useDemoKey(page, 'enterprise')
  for (const [operationId, label, value] of wrongValues.slice(0, chooseBySize(3, wrongValues.length))) {
    const operation = page.locator(`#${operationId}`)
    const field = operation.getByLabel(label)
    const before = await field.inputValue()
    await field.fill(value)
    await field.blur()
    expect(await field.getAttribute('aria-invalid'), value).toBe('true')
    expect(await operation.getByRole('button', { name: 'Send anyway' }).count(), value).toBe(1)
    const problem = await operation.locator('.problem:not(:empty)').innerText()
    const { message } = JSON.parse(await shown(await send(operation, 400), 'body'))
    expect(problem, value).toBe(message)
    await field.fill(before)
    expect(await operation.locator('[aria-invalid="true"]').count()).toBe(0)
    expect(await operation.getByRole('button', { name: 'Send', exact: true }).count()).toBe(1)
  }
})

/** What happens to a request, and what the panel says in place of a response. */
const failures: readonly (readonly [answer: (route: Route) => unknown, sentence: string, isReceived?: true])[] = [
  [(route) => route.abort('connectionreset'), 'No response came: the connection could not be made, or it was lost.'],
  [(route) => route.fulfill({ status: 502, body: '<b>Bad gateway</b>' }), 'The body is not JSON: something', true],
  [(route) => route.fulfill({ status: 200, body: '' }), 'The response has no body.', true],
  [() => undefined, 'No response came within 30 seconds.'],
]

/** The page waits for 30 seconds, which are over at once when `isLate` is set. */
const hasted = `const { timeout } = AbortSignal
AbortSignal.timeout = (milliseconds) => timeout.call(AbortSignal, milliseconds === 30000 && globalThis.isLate ? 0 : 1e9)`

test('In place of a response a panel has a sentence, and shows the next response', async ({ open }) => {
  const page = await open({ before: (page) => page.addInitScript(hasted) })
  const list = page.locator('#listPets')
  for (const [answer, sentence, isReceived = false] of failures) {
    await page.evaluate(`globalThis.isLate = ${sentence.includes('30 seconds')}`)
    await page.route('**/v1/pets', async (route) => void (await answer(route)))
    const result = await send(list, sentence)
    expect(await shown(result, 'curl')).toContain('curl -i ')
    expect(await result.locator('[data-part="received"]').isVisible()).toBe(isReceived)
    await page.unroute('**/v1/pets')
  }
  await page.evaluate('globalThis.isLate = false')
  expect(await shown(await send(list, 401), 'body')).toContain('unauthorized')
  const create = page.locator('#createPet')
  await create.getByLabel('Idempotency-Key').fill('犬')
  await send(create, 'Idempotency-Key has a character that browsers do not send in a header.')
})

test('Without JavaScript a panel is off and says why, and each error and each field is described', async ({ open }) => {
  const page = await open({ javaScriptEnabled: false })
  expect(await page.locator('main').innerText()).toContain('The panels need JavaScript.')
  expect(await page.locator('.panel fieldset[disabled]').count()).toBe(readContract().operations.length)
  expect(await page.locator('#listStoreOrders').innerText()).toContain('This panel is off. Reserved.')
  expect(await page.locator('#getPet').innerText()).toContain('Deprecated: it works until 5 December 2030.')
  const found = page.locator('#getPet details[data-status="404"]')
  const examples = found.locator('pre')
  expect(await examples.first().isVisible()).toBe(false)
  await found.locator('summary').click()
  const codes = (await examples.allInnerTexts()).map((text) => JSON.parse(text).code)
  expect(codes).toEqual(['pet_not_found', 'operation_removed'])
  expect(await found.locator('dt').allInnerTexts()).toEqual(['Deprecation', 'Sunset', 'Link'])
  await page.locator('#createPet details').first().locator('summary').click()
  expect(await page.locator('#createPet-body-fields').innerText()).toContain('categoryId')
})
