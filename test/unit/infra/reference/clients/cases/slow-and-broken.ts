import type { ServerResponse } from 'node:http'
import { expect } from 'vitest'
import type { Fate } from '../relay.ts'
import { type Case, created, emptyPage, failed, silence, stalledBody } from './case.ts'

/** Sends a little again and again, so that each read of the client gets something. */
const drip = (response: ServerResponse, send: () => void): undefined => {
  const timer = setInterval(send, 100)
  response.socket?.once('close', () => clearInterval(timer))
}

const slowHeaders: Fate = (response) => {
  response.socket?.write('HTTP/1.1 200 OK\r\nX-Slow: ')
  return drip(response, () => response.socket?.write('x'))
}

const slowBody: Fate = (response) => {
  response.writeHead(200)
  return drip(response, () => response.write(' '))
}

const endlessBody: Fate = (response) => {
  const chunk = ' '.repeat(2 ** 20)
  const send = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.writeHead(200).on('drain', send)
  send()
  return undefined
}

const slow: readonly Case[] = [
  ...Object.entries({ silence, stalledBody, slowHeaders, slowBody }).map(([name, fate]) => ({
    title: `retries after its time-out: ${name}`,
    options: { timeoutSeconds: 0.5 },
    calls: [{ page: {} }],
    server: () => [fate, emptyPage],
    outcomes: [{ pets: [] }],
    requests: 2,
    waits: [0],
  })),
  {
    title: 'retries a creation after its time-out, under one key',
    options: { timeoutSeconds: 0.5 },
    calls: [{ create: { name: 'Bella', categoryId: '1' } }],
    server: () => [stalledBody, created],
    outcomes: [{ pets: [created.body].map((pet) => ({ ...pet, categoryId: '1' })) }],
    requests: 2,
    waits: [0],
    also: ({ seen }) => expect(seen[1]?.headers['idempotency-key']).toBe(seen[0]?.headers['idempotency-key']),
  },
  {
    title: 'gives the time-out after the last attempt',
    options: { timeoutSeconds: 0.5, attempts: 2 },
    calls: [{ page: {} }],
    server: () => [silence],
    outcomes: [{ error: { kind: 'time-out' } }],
    requests: 2,
    waits: [0],
  },
]

const broken: readonly Case[] = [
  {
    title: 'gives an error without a code when something else responds in place of the API',
    calls: [{ page: {} }],
    server: () => [{ status: 502, body: 'a proxy' }],
    outcomes: [failed(502, null)],
    requests: 1,
  },
  ...['', '<html>', '[{"id":1}', '[{"id":1}]]'].map((body) => ({
    title: `gives an error without a code when a success has the body '${body}'`,
    calls: [{ page: {} }],
    server: () => [{ status: 200, body }],
    outcomes: [failed(200, null)],
    requests: 1,
  })),
  {
    title: 'does not read a body without an end',
    calls: [{ page: {} }],
    server: () => [endlessBody],
    outcomes: [failed(200, null)],
    requests: 1,
  },
]

export const slowAndBroken = [...slow, ...broken]
