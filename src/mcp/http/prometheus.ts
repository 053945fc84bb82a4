/** All that is used of prom-client. The build bundles it. */
export { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
