import { type Report, tableOf } from '../../command-line/report.ts'
import { type EnvironmentConfig, environments, presets } from '../../environments.ts'
import { assumed, type Mix, usageOf } from './estimate.ts'
import { charge, type PriceName, prices } from './prices.ts'

/** What a month can be asked for: `small` is production with that preset. */
export const setUpsOf = ({ production, staging }: typeof environments) => ({
  production,
  small: { ...production, ...presets.small },
  staging,
})

export const setUps = setUpsOf(environments)
export type SetUp = keyof typeof setUps
const names = Object.keys(setUps) as readonly SetUp[]

/** The lines of the bill, without those of nothing, and their sum. */
export const estimate = (requests: number, config: EnvironmentConfig, mix: Mix) => {
  const usage = usageOf(requests, mix, config)
  const lines = (Object.keys(prices) as readonly PriceName[])
    .filter((name) => usage[name] > 0)
    .map((name) => ({ ...prices[name], units: usage[name], dollars: charge(prices[name], usage[name]) }))
  return { lines, dollars: lines.reduce((sum, line) => sum + line.dollars, 0) }
}

/** Months of several sizes, as a table in Markdown. */
export const reportMonths = (mix: Mix, of = setUps): Report => {
  const months = [1e5, 1e6, 1e7, 1e8].map((requests) => ({
    requests,
    dollars: Object.fromEntries(names.map((setUp) => [setUp, estimate(requests, of[setUp], mix).dollars])),
  }))
  const rows = [
    ['requests a month', ...names.map((setUp) => `\`${setUp}\``)],
    names.reduce((cells) => [...cells, '---:'], ['---:']),
    ...months.map(({ requests, dollars }) => [count(requests), ...Object.values(dollars).map(money)]),
  ]
  return { json: { months }, text: rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n') }
}

/** One month, line by line, with what is assumed. */
export const reportMonth = (requests: number, setUp: SetUp, mix: Mix): Report => {
  const { lines, dollars } = estimate(requests, setUps[setUp], mix)
  const rows = lines.map(({ service, what, units, per, tiers, dollars }) => [
    ...[service, what, count(units).padStart(11), `x $${tiers[0]?.[1]}${per === 1 ? '' : ` / ${count(per)}`}`],
    money(dollars).padStart(10),
  ])
  const unverified = lines.filter(({ asOf }) => asOf === 'unverified').map(({ service, what }) => `${service} ${what}`)
  const text = `${tableOf(rows)}

Total ${money(dollars)} for ${count(requests)} requests to ${setUp}, by list prices of us-east-1, without any free tier.

Assumed, not measured on AWS: runs of ${assumed.authorizerSeconds * 1_000} ms for the authorizer, ${assumed.operationSeconds * 1_000} ms for an operation and ${assumed.gatewayKeysSeconds} s for gateway-keys; ${assumed.keys} keys that share the
requests evenly, the most expensive case; ${count(assumed.pets)} pets before the month; pages of 20, half of them of one status;
half of the creations with an Idempotency-Key; refused requests charged like others. Not in it: the API reference, log
queries, notifications, support, tax.

Prices that were not read on a page of AWS: ${unverified.join(', ')}.
infra/operations/cost/prices.ts names the pages. Compare the prices with them, and the estimate with your bill.`
  return { json: { environment: setUp, requests, mix, assumed, lines, dollars }, text }
}

const count = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 2 : 0 })

const money = (dollars: number): string => dollars.toLocaleString('en-US', { style: 'currency', currency: 'USD' })
