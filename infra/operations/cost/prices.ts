/** Lines of the bill at AWS list prices. */

/** Prices of a unit in US dollars, each by the number of units of a month from which on it applies. */
type Tiers = Readonly<Record<number, number>>

/** One line of the bill of a month. */
export interface CostLine {
  readonly service: string
  /** Name of the units. */
  readonly what: string
  readonly units: number
  readonly tiers: Tiers
  readonly dollars: number
  /** Page on which AWS publishes the price. */
  readonly source: string
  /** Month as of which the price was read on that page; undefined if it was read elsewhere. */
  readonly asOf: Month | undefined
}

type Month = `20${number}-${number}`

/**
 * Creates a function that prices units of a service.
 *
 * @example
 * const priceLambda = createPricing('Lambda', 'aws.amazon.com/lambda/pricing/')
 * const line = priceLambda('million invocations', 12, 0.2)
 *
 * @param page address of the page with the prices, without `https://`
 */
const createPricing =
  (service: string, page: string) =>
  (what: string, units: number, price: number | Tiers, asOf?: Month): CostLine => {
    const tiers = typeof price === 'number' ? { 0: price } : price
    return {
      service,
      what,
      units,
      tiers,
      dollars: computeCharge(tiers, units),
      source: `https://${page}`,
      asOf,
    }
  }

/** Computes the charge for units. Units below the threshold of a tier keep the price of the tier before. */
const computeCharge = (tiers: Tiers, units: number): number => {
  let dollars = 0
  let previousPrice = 0
  // Object.entries lists whole numbers in ascending order.
  for (const [threshold, price] of Object.entries(tiers)) {
    const unitsAbove = Math.max(0, units - Number(threshold))
    dollars += unitsAbove * (price - previousPrice)
    previousPrice = price
  }
  return dollars
}

export const priceApiGateway = createPricing(
  'API Gateway',
  'docs.aws.amazon.com/whitepapers/latest/best-practices-api-gateway-private-apis-integration/cost-optimization.html',
)
export const priceLambda = createPricing('Lambda', 'aws.amazon.com/lambda/pricing/')
export const priceTables = createPricing('DynamoDB', 'aws.amazon.com/dynamodb/pricing/')
export const priceOnDemandTables = createPricing('DynamoDB', 'aws.amazon.com/dynamodb/pricing/on-demand/')
export const priceCloudWatch = createPricing('CloudWatch', 'aws.amazon.com/cloudwatch/pricing/')
export const priceXRay = createPricing('X-Ray', 'aws.amazon.com/xray/pricing/')
export const priceFirewall = createPricing('WAF', 'aws.amazon.com/waf/pricing/')
export const priceTransfer = createPricing('Data transfer', 'aws.amazon.com/ec2/pricing/on-demand/')
